// The parts of asking as states to be fuzzed: drift detectors, guards, budgets, strategies, and whole trials.
#include <memory>
#include <optional>

#include "models.hpp"
#include "sapwood/shared_model.hpp"

namespace sapwood::testing {
namespace {

template <class... Parts>
Fields map_of(const Parts&... parts) {
    Fields map;
    map(parts...);
    return map;
}

template <class Part>
std::string bytes_of(const Part& part) {
    Writer out;
    out(part);
    return out.bytes();
}

template <class Part>
Part read_whole(const std::string& state) {
    Part part;
    Reader in(state);
    in(part);
    if (!in.at_end()) throw std::invalid_argument("there is more than a state in it");
    return part;
}

/// What was saved can be loaded, and is the same.
template <class Part>
Part saved_and_loaded(const Part& part) {
    const std::string state = bytes_of(part);
    try {
        Part again = read_whole<Part>(state);
        hold(bytes_of(again) == state, "what was saved is not what was loaded");
        hold(
            [&] {
                if constexpr (requires { again.has_settings_of(part); }) return again.has_settings_of(part);
                return true;
            }(),
            "the settings are others");
        return again;
    } catch (const std::invalid_argument& error) {
        throw Broken(std::string("what was saved cannot be loaded: ") + error.what());
    }
}

std::vector<Detector> some_detectors() {
    Random random(3);
    std::vector<Detector> all;
    for (const std::size_t inputs : {0, 3, 40}) {
        Detector three[] = {Detector(Ddm{3.0, 0.5, 1.0}), Detector(PageHinkley{3.0, 0.005, 2.0, 0.99}),
                            Detector(Adwin{0.5, 4.0, 2.0, 1.0, 3.0})};
        for (Detector& detector : three) {
            for (std::size_t i = 0; i < inputs; ++i) detector.update(random.chance(0.4) ? 1.0 : 0.0);
            all.push_back(detector);
        }
    }
    return all;
}

std::vector<Guard> some_guards() {
    Random random(4);
    std::vector<Guard> all;
    for (const Detector& detector : some_detectors()) {
        for (const Compat compat : {Compat::none, Compat::moa}) {
            Guard guard(detector, 5.0, compat);
            for (int i = 0; i < 20; ++i) guard.on_label(random.chance(0.5), random.chance(0.9));
            all.push_back(guard);
        }
    }
    return all;
}

void go_on(Budget& budget, Random& random) {
    const double count = budget.params().count;
    std::vector<double> marks;
    double now = random.uniform();
    for (int i = 0; i < 60; ++i) {
        budget.see(now += random.uniform());
        if (budget.allows() && random.chance(0.8)) marks.push_back(budget.ask());
        if (budget.params().cap == Cap::count)
            hold(static_cast<double>(budget.spent()) <= count, "more was asked than there is");
        hold(budget.spent() <= budget.seen() && budget.open() <= budget.spent(), "the ledger does not add up");
        if (marks.empty() || budget.open() == 0) continue;
        switch (random.below(5)) {
            case 0: budget.answer(); break;
            case 1: budget.expire(); break;
            case 2: budget.refund(marks.back(), false); break;
            default: continue;
        }
        marks.pop_back();
    }
}

std::vector<Budget> some_budgets() {
    Random random(5);
    std::vector<Budget> all;
    for (const BudgetParams& params :
         {BudgetParams{}, BudgetParams{Cap::rate, 0.4}, BudgetParams{Cap::rate, 0.4, true},
          BudgetParams{Cap::window, 0.3, false, 10.0}, BudgetParams{Cap::estimated_window, 0.3, false, 10.0},
          BudgetParams{Cap::count, 0.5, false, 0.0, 30.0}, BudgetParams{Cap::period, 0.5, false, 0.0, 4.0, 5.0}}) {
        all.emplace_back(params);
        all.emplace_back(params);
        go_on(all.back(), random);
    }
    return all;
}

void go_on(Strategy& strategy, Random& random) {
    Rng rng(random.next());
    for (int i = 0; i < 30; ++i) {
        Evidence evidence{random.uniform(), random.uniform() / 2.0, static_cast<double>(random.below(50)), 3.0,
                          1.0 + i};
        if (random.chance(0.1)) evidence.confidence = 0.0;
        strategy.decide(evidence, random.uniform(), rng);
        const double unsure = strategy.unsure(evidence, random.uniform());
        hold(unsure >= 0.0 && unsure <= 1.0, "a share is none");
    }
}

std::vector<Strategy> some_strategies() {
    Random random(6);
    std::vector<Strategy> all;
    for (const std::string_view name : strategy_names()) {
        all.emplace_back(parse_strategy(name));
        go_on(all.back(), random);
    }
    return all;
}

/// All that a run consists of.
struct Run {
    Strategy strategy;
    Budget budget;
    std::optional<Guard> guard;
    Rng rng;
    std::uint64_t delay;
    Trial trial;
    SharedModel shared;

    Run(const Strategy& s, const Budget& b, const std::optional<Guard>& g, std::uint64_t late, const Model& model)
        : strategy(s),
          budget(b),
          guard(g),
          rng(7),
          delay(late),
          trial(strategy, budget, guard ? &*guard : nullptr, rng, delay),
          shared(model) {}

    Model model() const {
        return shared.read([](const Model& now) { return now; });
    }
    template <class Archive>
    void archive(Archive& a) {
        a(strategy, budget, rng);
        if (guard) a(*guard);
        trial.archive(a, model());
    }
    /// The same run, begun anew with the model as it is now.
    std::unique_ptr<Run> begun_anew() const {
        return std::make_unique<Run>(Strategy(strategy.params()), Budget(budget.params()), guard, delay, model());
    }
    void read_whole(const std::string& state) {
        Reader in(state);
        in(*this);
        if (!in.at_end()) throw std::invalid_argument("there is more than a state in it");
        trial.restore(model());
    }
    void go(const Stream& stream, std::size_t begin, std::size_t end) {
        Cut cut;
        stream.cut(begin, end, cut);
        std::vector<std::uint32_t> predictions(end - begin);
        std::vector<std::uint8_t> asked(end - begin);
        shared.run(trial, cut.batch, cut.names, cut.labels, nullptr, predictions.data(), asked.data(), {});
    }
    void take_over(const Run& other) { read_whole(bytes_of(other)); }
};

std::vector<std::unique_ptr<Run>> some_runs() {
    std::vector<std::unique_ptr<Run>> runs;
    Random random(8);
    TreeParams bounded;
    bounded.max_bytes = 20000;
    const Stream stream = make_stream({.rows = 400, .numbers = 1, .texts = 1, .n_categories = 3, .noise = 0.5}, 9);
    for (const TreeParams& params : {TreeParams{}, bounded}) {
        for (const std::uint64_t delay : {0, 4}) {
            for (const bool drifts : {false, true}) {
                std::optional<Guard> guard;
                if (drifts) guard.emplace(Detector(Ddm{3.0, 0.1, 0.2}), 30.0);
                const Budget budget({Cap::rate, 0.9});
                runs.push_back(
                    std::make_unique<Run>(Strategy(parse_strategy("random")), budget, guard, delay, Model(params)));
                Run& run = *runs.back();
                const auto is_ready = [&] {
                    return (!drifts || run.trial.background_nbytes() > 0) && (!delay || run.trial.n_open() > 0);
                };
                run.go(stream, 0, 20);
                for (std::size_t row = 20; !is_ready(); ++row) run.go(stream, row, row + 1);
            }
        }
    }
    return runs;
}

}  // namespace

template <class Part>
StateKind parts(const char* name, const std::vector<Part>& all, void (*use)(Part&, Random&)) {
    StateKind kind{name, {}, [use](const std::string& state, std::size_t, Random& random) {
                       Part part = saved_and_loaded(read_whole<Part>(state));
                       use(part, random);
                       saved_and_loaded(part);
                   }};
    for (const Part& part : all) kind.seeds.push_back(map_of(part));
    return kind;
}

StateKind detectors() {
    return parts<Detector>("detector", some_detectors(), [](Detector& detector, Random& random) {
        for (int i = 0; i < 60; ++i) detector.update(random.chance(0.5) ? 1.0 : random.uniform());
    });
}

StateKind guards() {
    return parts<Guard>("guard", some_guards(), [](Guard& guard, Random& random) {
        for (int i = 0; i < 60; ++i) guard.on_label(random.chance(0.5), random.chance(0.8));
    });
}

StateKind budgets() {
    return parts<Budget>("budget", some_budgets(), &go_on);
}

StateKind strategies() {
    return parts<Strategy>("strategy", some_strategies(), &go_on);
}

StateKind trials() {
    const auto runs = std::make_shared<std::vector<std::unique_ptr<Run>>>(some_runs());
    StateKind kind{"trial", {}, [runs](const std::string& state, std::size_t seed, Random& random) {
                       // Sometimes the state of one model is read beside another one.
                       const std::size_t model = random.chance(0.1) ? random.below(runs->size()) : seed;
                       const std::unique_ptr<Run> run = (*runs)[model]->begun_anew();
                       run->read_whole(state);
                       const auto same = [&] {
                           std::unique_ptr<Run> again = run->begun_anew();
                           try {
                               again->take_over(*run);
                           } catch (const std::invalid_argument& error) {
                               throw Broken(std::string("what was saved cannot be loaded: ") + error.what());
                           }
                           hold(bytes_of(*again) == bytes_of(*run), "what was saved is not what was loaded");
                           return again;
                       };
                       const std::unique_ptr<Run> again = same();
                       Stream stream = stream_for(run->model(), 24, random);
                       stream.weights.clear();
                       for (Run* each : {run.get(), again.get()}) {
                           try {
                               each->go(stream, 0, stream.n_rows());
                           } catch (const std::invalid_argument& error) {
                               hold(std::string_view(error.what()).find("max_bytes") != std::string_view::npos,
                                    error.what());
                               return;
                           }
                       }
                       hold(bytes_of(*again) == bytes_of(*run), "a loaded run goes on otherwise");
                       same();
                       live_on(run->model(), random);
                   }};
    for (const std::unique_ptr<Run>& run : *runs) kind.seeds.push_back(map_of(*run));
    return kind;
}

}  // namespace sapwood::testing
