// The model: batches and mappings in, predictions, certificates and bytes out. The interpreter's lock is given up
// while the core works; what the core needs is read from Python before, and what Python gets is made after.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "arrays.hpp"
#include "convert.hpp"
#include "row_memory.hpp"
#include "sapwood/archive.hpp"
#include "sapwood/bounds.hpp"
#include "sapwood/crew.hpp"
#include "sapwood/format.hpp"
#include "sapwood/shared_model.hpp"

namespace sapwood::python {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A whole number is an int in Python, another a float.
nb::object number(double x) {
    constexpr double kExact = 9007199254740992.0;  // 2^53
    if (x == std::floor(x) && std::fabs(x) < kExact) return nb::cast(static_cast<std::int64_t>(x));
    return nb::cast(x);
}

/// What Python is told of a split, in terms of names.
struct SplitView {
    static constexpr const char* kFields[] = {"feature", "threshold", "category", "missing_side", "m",
                                              "t",       "depth",     "d",        "gap",          "epsilon",
                                              "bound",   "delta",     "c",        "reason"};
    Certificate made;
    std::uint32_t node;
    Bound bound;
    double c;
    Value feature, category;

    SplitView(const Model& model, const Split& split)
        : made(split.certificate),
          node(split.node),
          bound(model.tree().params().bound),
          c(model.tree().params().c),
          feature(model.schema().columns[made.feature]) {
        if (made.categorical) category = model.schema().categories[made.feature][static_cast<std::size_t>(made.key)];
    }

    /// The values of kFields.
    nb::tuple certificate() const {
        const nb::object test = !made.categorical   ? nb::cast(made.key)
                                : is_text(category) ? to_python(category)
                                                    : number(number_of(category));
        return nb::make_tuple(to_python(feature), made.categorical ? nb::none() : test,
                              made.categorical ? test : nb::none(), made.missing_left ? "left" : "right",
                              number(made.m), number(made.t), made.depth, made.d, made.gap, made.epsilon,
                              std::string(name_of(bound)),
                              uses_delta(bound) ? nb::object(nb::cast(made.delta)) : nb::none(),
                              uses_c(bound) ? nb::object(nb::cast(c)) : nb::none(),
                              made.reason == Reason::confident ? "confident" : "tie");
    }
};

class PyModel {
   private:
    template <class Read>
    auto read(Read&& body) const {
        nb::gil_scoped_release unlocked;
        return shared_.read(std::forward<Read>(body));
    }
    template <class Write>
    void write(Write&& body) {
        require_not_amid(this);
        nb::gil_scoped_release unlocked;
        shared_.write(std::forward<Write>(body));
    }
    /// The same for what takes no longer than to give up the interpreter's lock and to get it back: that is only done
    /// to wait for another thread.
    template <class Read>
    void read_briefly(Read&& body) const {
        if (!shared_.try_read(body)) read(body);
    }
    template <class Write>
    void write_briefly(Write&& body) {
        if (!shared_.try_write(body)) write(body);
    }

   public:
    explicit PyModel(Model model) : shared_(std::move(model)) {}

    // --- declaring ---
    void declare_categorical(nb::handle names) {
        const auto values = to_values(names, "A column name");
        write([&](Model& model) {
            for (const Value& name : values) model.declare_categorical(name);
        });
    }
    /// From now on these and those known are all classes that there are.
    void declare_classes(nb::handle labels) {
        const auto values = to_values(labels, "A class label");
        write([&](Model& model) {
            for (const Value& label : values) model.require_label(label);
            Model before = model;
            for (const Value& label : values) model.add_class(label);
            try {
                model.require_fits();
            } catch (...) {
                model = std::move(before);
                throw;
            }
        });
        classes_declared_ = true;
    }
    bool classes_declared() const { return classes_declared_; }
    std::size_t n_unmatched() const { return unmatched_; }
    void advance(double n) {
        write([&](Model& model) { model.advance(n); });
    }

    // --- batches ---
    void learn(nb::handle columns, nb::handle names, std::size_t n_rows, bool fixed, Codes codes, nb::handle values,
               std::optional<Weights> weights, nb::handle declared) {
        require_not_amid(this);
        const HeldBatch held(columns, names, n_rows);
        const Labels labels{codes.data(), to_values(values, "A class label"), to_values(declared, "A class label")};
        require_declared(labels, n_rows, fixed);
        Watch watch = watch_for(nb::none(), this);
        Learned learned;
        {
            nb::gil_scoped_release unlocked;
            learned = shared_.learn(held.batch(), held.names(), fixed, labels, weights ? weights->data() : nullptr,
                                    nullptr, {}, &watch);
        }
        const bool happened = !learned.end || learned.rows > 0;
        classes_declared_ = classes_declared_ || (happened && !labels.declared.empty());
        if (learned.end) raise(told(learned.end, learned.rows, n_rows));
        // A signal since the watch last looked would be heard by the caller, who does not know that all was learned.
        // What was learned on a new model, the caller has yet to keep.
        if (!learned.on_others || PyErr_CheckSignals() == 0) return;
        try {
            throw nb::python_error();
        } catch (const nb::python_error&) {
            raise(told(std::current_exception(), n_rows, n_rows));
        }
    }

    /// Makes the columns of a table known, before any of its rows is learned.
    void declare(nb::handle columns, nb::handle names, std::size_t n_rows) {
        const HeldBatch held(columns, names, n_rows);
        nb::gil_scoped_release unlocked;
        shared_.declare(held.batch(), held.names());
    }

    /// Test-then-train, of all labels or of those that a trial asks for. Returns the predicted class of each row,
    /// which rows were asked about (without a trial, None), after `first` and then each `every` rows a record
    /// (rows, leaves, bytes, asked, drifts, seconds), and what is to be raised because it ended early: then there are
    /// fewer predictions.
    nb::tuple run(Trial* trial, nb::handle columns, nb::handle names, std::size_t n_rows, Codes codes,
                  nb::handle values, std::optional<Weights> times, std::size_t first, std::size_t every,
                  nb::handle stop) {
        require_not_amid(this);
        const HeldBatch held(columns, names, n_rows);
        const Labels labels{codes.data(), to_values(values, "A class label"), {}};
        require_declared(labels, n_rows, true);
        auto predictions = std::make_unique_for_overwrite<std::uint32_t[]>(n_rows);
        auto asked = std::make_unique<std::uint8_t[]>(trial ? n_rows : 0);
        std::vector<std::array<double, 6>> snapshots;
        Watch watch = watch_for(stop, this);
        Learned learned;
        {
            nb::gil_scoped_release unlocked;
            using Clock = std::chrono::steady_clock;
            const auto start = Clock::now();
            const Reports reports{
                first, every, [&](std::size_t rows, const Model& model) {
                    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
                    const std::size_t nbytes = model.tree().nbytes() + (trial ? trial->background_nbytes() : 0);
                    snapshots.push_back({static_cast<double>(rows), static_cast<double>(model.tree().leaves().size()),
                                         static_cast<double>(nbytes),
                                         static_cast<double>(trial ? trial->asked() : rows),
                                         static_cast<double>(trial ? trial->drifts() : 0), seconds});
                }};
            if (trial)
                learned = shared_.run(*trial, held.batch(), held.names(), labels, times ? times->data() : nullptr,
                                      predictions.get(), asked.get(), reports, &watch);
            else
                learned = shared_.learn(held.batch(), held.names(), true, labels, nullptr, predictions.get(), reports,
                                        &watch);
        }
        const std::size_t done = learned.rows;
        while (!snapshots.empty() && snapshots.back()[0] > static_cast<double>(done)) snapshots.pop_back();
        nb::list records;
        for (const auto& s : snapshots)
            records.append(nb::make_tuple(number(s[0]), number(s[1]), number(s[2]), number(s[3]), number(s[4]), s[5]));
        return nb::make_tuple(array_of<Vector<std::uint32_t>>(std::move(predictions), {done}),
                              trial ? nb::cast(array_of<Vector<std::uint8_t>>(std::move(asked), {done})) : nb::none(),
                              records, learned.end ? told(learned.end, done, n_rows) : nb::none());
    }
    nb::bytes trial_state(Trial& trial) const {
        Writer out;
        read([&](const Model& model) { trial.archive(out, model); });
        return nb::bytes(out.bytes().data(), out.bytes().size());
    }
    void restore_trial(Trial& trial, const nb::bytes& state) const {
        Reader in(std::string_view(state.c_str(), state.size()));
        read([&](const Model& model) {
            trial.archive(in, model);
            if (!in.at_end()) throw std::invalid_argument("The state has bytes after its end.");
            trial.restore(model);
        });
    }
    /// A model with the same parameters, names and clock that has learned nothing.
    std::unique_ptr<PyModel> fresh() const {
        return beside(read([](const Model& model) { return model.fresh(); }));
    }
    std::unique_ptr<PyModel> copy() const {
        return beside(read([](const Model& model) { return model; }));
    }
    void adopt_names(const PyModel& other) {
        const Schema theirs = other.read([](const Model& model) { return model.schema(); });
        write([&](Model& model) { model.adopt_names(theirs); });
    }

    Vector<std::uint32_t> predict(nb::handle columns, nb::handle names, std::size_t n_rows, std::size_t threads) const {
        return look<std::uint32_t>(columns, names, n_rows, threads, &Lesson::predict);
    }
    Vector<std::uint32_t> apply(nb::handle columns, nb::handle names, std::size_t n_rows, std::size_t threads) const {
        return look<std::uint32_t>(columns, names, n_rows, threads, &Lesson::apply);
    }
    Matrix predict_proba(nb::handle columns, nb::handle names, std::size_t n_rows, std::size_t threads) const {
        const HeldBatch held(columns, names, n_rows);
        std::size_t k = 0;
        std::unique_ptr<double[]> out;
        Watch watch = watch_for(nb::none(), this);
        while (!out) {  // again if another thread has learned a class since the places were known
            const auto known = known_classes(k);
            read([&](const Model& model) {
                k = model.tree().n_classes();
                if (k != known->labels.size()) return;
                out = unwritten<double>(n_rows * k);
                ask_side_by_side(
                    model, held.batch(), held.names(), threads,
                    [&](Lesson& lesson, std::size_t at) {
                        lesson.predict_probabilities(model, out.get() + at * k, known->places);
                    },
                    &watch);
            });
        }
        return array_of<Matrix>(std::move(out), {n_rows, k});
    }

    // --- one row, as a mapping ---
    void learn_one(const nb::dict& x, nb::handle y, double w, bool seen) {
        if (learn_numbers(x, y, w, seen)) return;
        std::deque<Value> new_names;
        const std::vector<Cell> cells = read_row(x, &new_names);
        const Value label = to_value(y, "A class label");
        if (classes_declared_) require_label(y);
        const auto learn = [&](Model& model) { model.learn_row(cells, label, w, seen); };
        new_names.empty() ? write_briefly(learn) : write(learn);  // for new names, a model may have to be copied
    }
    nb::object predict_one(const nb::dict& x) {
        std::uint32_t y = kNoClass;
        look_at(x, [&](const Model& model, const double* row) {
            y = model.tree().predict_at(model.tree().route(row), row);
        });
        return y == kNoClass ? nb::none() : label(y);
    }
    nb::dict predict_proba_one(const nb::dict& x) {
        std::vector<double> probabilities;
        look_at(x, [&](const Model& model, const double* row) {
            if (model.tree().n_classes_learned() == 0) return;
            probabilities.resize(model.tree().n_classes());
            model.tree().probabilities_at(model.tree().route(row), row, probabilities.data());
        });
        return by_class(probabilities);
    }
    /// Throws if a row could not be learned by any model: a value of no known type, an infinite number, a bad name.
    static void check_row(const nb::dict& x) {
        for (auto [key, value] : x) {
            Cell cell;
            if (!read_cell(value, key, cell)) continue;
            const Value name = to_value(key, "A column name");
            if (std::holds_alternative<double>(name))
                throw TypeMismatch("A column name must be text or a whole number.");
            cell.require_finite(name);
        }
    }
    /// Throws if a row could not be learned by this model.
    void require_suits(const nb::dict& x) {
        if (look_at_numbers(x, [](const Model&, const double*) {})) return;
        std::deque<Value> new_names;
        const std::vector<Cell> cells = read_row(x, &new_names);
        read_briefly([&](const Model& model) { model.require_suits(cells); });
    }
    /// A row was seen: it counts, and so do its columns from now on. With `all_names`, also those without a value.
    void see_row(const nb::dict& x, bool all_names) {
        std::deque<Value> new_names;
        const std::vector<Cell> cells = read_row(x, &new_names);
        std::vector<Value> names;
        if (all_names)
            for (auto [key, value] : x) names.push_back(to_value(key, "A column name"));
        write([&](Model& model) {
            if (!new_names.empty() || all_names) {
                Model before = model.tree().params().max_bytes ? model : Model();
                for (const Value& name : names) model.add_column(name, Kind::unknown);
                model.see_columns(cells);
                try {
                    model.require_fits();
                } catch (...) {
                    model = std::move(before);
                    throw;
                }
            }
            model.advance(1.0);
        });
    }
    void require_label(nb::handle y) const {
        const Value label = to_value(y, "A class label");
        bool known = true;
        read_briefly([&](const Model& model) {
            model.require_label(label);
            known = !classes_declared_ || model.schema().classes.find(label);
        });
        if (!known) refuse_label(label, sorted_classes());
    }
    /// All that a decision needs, in one look: the prediction, the probability of each class, and how many examples of
    /// each class, in the order of appearance, were learned at the row's leaf.
    nb::tuple consider(const nb::dict& x) {
        std::uint32_t predicted = kNoClass;
        std::vector<double> probabilities, learned;
        look_at(x, [&](const Model& model, const double* row) {
            const Tree& tree = model.tree();
            if (tree.n_classes_learned() == 0) return;
            const std::uint32_t node = tree.route(row);
            predicted = tree.predict_at(node, row);
            probabilities.resize(tree.n_classes());
            tree.probabilities_at(node, row, probabilities.data());
            learned.resize(tree.n_classes());
            if (!tree.nodes()[node].is_leaf()) return;
            for (std::size_t y = 0; y < learned.size(); ++y) learned[y] = tree.leaf_at(node).classes[y].learned;
        });
        nb::list counts;
        for (const double n : learned) counts.append(number(n));
        return nb::make_tuple(predicted == kNoClass ? nb::none() : label(predicted), by_class(probabilities), counts);
    }
    /// All that an explanation needs, in one look: per split that a row passes its certificate and whether the row goes
    /// left; the node where it ends, how many examples were learned there, the prediction and the probabilities.
    nb::tuple explain(const nb::dict& x) {
        std::vector<std::pair<SplitView, bool>> steps;
        std::uint32_t end = 0, predicted = kNoClass;
        double learned = 0.0;
        std::vector<double> probabilities;
        look_at(x, [&](const Model& model, const double* row) {
            const Tree& tree = model.tree();
            end = tree.route(row);
            for (std::uint32_t at = 0; at != end;) {
                const Node& node = tree.nodes()[at];
                const bool left = node.goes_left(row[node.feature]);
                steps.emplace_back(SplitView(model, tree.split_at(at)), left);
                at = node.next + (left ? 0 : 1);
            }
            if (tree.nodes()[end].is_leaf()) learned = tree.leaf_at(end).learned();
            if (tree.n_classes_learned() == 0) return;
            predicted = tree.predict_at(end, row);
            probabilities.resize(tree.n_classes());
            tree.probabilities_at(end, row, probabilities.data());
        });
        nb::list told;
        for (const auto& [split, left] : steps) told.append(nb::make_tuple(split.certificate(), left));
        return nb::make_tuple(told, end, number(learned), predicted == kNoClass ? nb::none() : label(predicted),
                              by_class(probabilities));
    }

    // --- looking inside ---
    std::size_t n_leaves() const {
        return read([](const Model& m) { return m.tree().leaves().size(); });
    }
    std::uint32_t depth() const {
        return read([](const Model& m) { return m.tree().depth(); });
    }
    nb::object t() const {
        return number(read([](const Model& m) { return m.tree().t(); }));
    }
    std::size_t nbytes() const {
        return read([](const Model& m) { return m.tree().nbytes(); });
    }
    std::size_t n_classes_learned() const {
        return read([](const Model& m) { return m.tree().n_classes_learned(); });
    }
    /// In the order of appearance, which is that of their numbers.
    nb::list classes() const {
        return values_of([](const Model& m) { return m.schema().classes.values(); });
    }
    /// Sorted, which is the order of the columns of predict_proba.
    nb::list sorted_classes() const {
        const auto known = known_classes(read([](const Model& m) { return m.schema().classes.size(); }));
        nb::list out;
        for (const std::uint32_t y : known->sorted) out.append(known->labels[y]);
        return out;
    }
    nb::list columns() const {
        return values_of([](const Model& m) { return m.schema().columns.values(); });
    }
    nb::list kinds() const {
        const auto kinds = read([](const Model& m) { return m.schema().kinds; });
        nb::list out;
        for (Kind kind : kinds)
            out.append(kind == Kind::numeric ? "numeric" : kind == Kind::categorical ? "categorical" : "unknown");
        return out;
    }
    /// Per split, in the order made, its record as a dict: its certificate, the impurity that it removed, its node.
    nb::list splits() const {
        const auto views = read([](const Model& m) {
            std::vector<SplitView> views;
            for (const Split& split : m.tree().splits()) views.emplace_back(m, split);
            return views;
        });
        nb::list out;
        for (const SplitView& view : views) {
            nb::dict record;
            std::size_t field = 0;
            for (nb::handle value : view.certificate()) record[SplitView::kFields[field++]] = value;
            record["gain"] = view.made.gain;
            record["node"] = view.node;
            out.append(record);
        }
        return out;
    }
    /// Per node its record as a dict; children stand after their parent.
    nb::list nodes() const {
        struct View {
            std::int64_t parent = -1;
            std::uint32_t depth = 0, left = 0;
            bool is_leaf = false;
            double learned = 0.0;
            Collecting collecting = Collecting::yes;
            std::vector<double> votes;
        };
        const auto views = read([](const Model& model) {
            const Tree& tree = model.tree();
            std::vector<View> views(tree.nodes().size());
            for (std::size_t i = 0; i < views.size(); ++i) {
                View& view = views[i];
                const Node& node = tree.nodes()[i];
                view.is_leaf = node.is_leaf();
                if (view.is_leaf) {
                    const Leaf& leaf = tree.leaves()[node.next];
                    view.depth = leaf.depth;
                    view.learned = leaf.learned();
                    view.collecting = leaf.collecting;
                    for (const ClassCount& n : leaf.classes) view.votes.push_back(n.votes);
                } else {
                    const Split& split = tree.split_at(static_cast<std::uint32_t>(i));
                    view.depth = split.certificate.depth;
                    view.left = node.next;
                    view.votes = split.votes;
                    views[node.next].parent = views[node.next + 1].parent = static_cast<std::int64_t>(i);
                }
            }
            return views;
        });
        constexpr const char* kCollecting[] = {"yes", "paused", "closed"};
        nb::list out;
        for (std::size_t i = 0; i < views.size(); ++i) {
            const View& view = views[i];
            nb::dict record;
            nb::list votes;
            for (double n : view.votes) votes.append(number(n));
            record["node"] = i;
            record["parent"] = view.parent < 0 ? nb::none() : nb::object(nb::cast(view.parent));
            record["depth"] = view.depth;
            record["is_leaf"] = view.is_leaf;
            record["votes"] = votes;
            if (view.is_leaf) {
                record["learned"] = number(view.learned);
                record["collecting"] = kCollecting[static_cast<std::size_t>(view.collecting)];
            } else {
                record["left"] = view.left;
                record["right"] = view.left + 1;
                record["split"] = (view.left - 1) / 2;
            }
            out.append(record);
        }
        return out;
    }

    // --- bytes ---
    nb::bytes to_bytes(std::string_view owner_text) const {
        const std::string bytes = read([&](const Model& model) { return encode(model, owner_text); });
        return nb::bytes(bytes.data(), bytes.size());
    }

   private:
    template <class Get>
    nb::list values_of(Get&& get) const {
        const std::vector<Value> values = read(std::forward<Get>(get));
        nb::list out;
        for (const Value& value : values) out.append(to_python(value));
        return out;
    }
    template <class T>
    Vector<T> look(nb::handle columns, nb::handle names, std::size_t n_rows, std::size_t threads,
                   void (Lesson::*ask)(const Model&, T*)) const {
        const HeldBatch held(columns, names, n_rows);
        auto out = unwritten<T>(n_rows);
        Watch watch = watch_for(nb::none(), this);
        read([&](const Model& model) {
            ask_side_by_side(
                model, held.batch(), held.names(), threads,
                [&](Lesson& lesson, std::size_t at) { (lesson.*ask)(model, out.get() + at); }, &watch);
        });
        return array_of<Vector<T>>(std::move(out), {n_rows});
    }

    /// Another model, bound to its classes as this one is.
    std::unique_ptr<PyModel> beside(Model model) const {
        auto made = std::make_unique<PyModel>(std::move(model));
        made->classes_declared_ = classes_declared_;
        return made;
    }

    /// Throws if a label that occurs is not among the classes, where these are declared. Rows by name are refused for
    /// a label of another kind before.
    void require_declared(const Labels& labels, std::size_t n_rows, bool fixed) const {
        if (!classes_declared_ && labels.declared.empty()) return;
        Names declared;
        for (const Value& label : labels.declared) declared.add(label);
        std::vector<bool> unknown;
        read_briefly([&](const Model& model) {
            for (const Value& label : labels.values)
                unknown.push_back(!declared.find(label) && !model.schema().classes.find(label));
        });
        if (std::find(unknown.begin(), unknown.end(), true) == unknown.end()) return;
        for (std::size_t i = 0; i < n_rows; ++i) {  // of those listed, not all need occur
            const auto code = static_cast<std::size_t>(labels.codes[i]);
            if (!unknown[code]) continue;
            if (!fixed) require_label(to_python(labels.values[code]));
            nb::list known;
            for (const Value& label : labels.declared) known.append(to_python(label));
            refuse_label(labels.values[code], known.size() ? known : sorted_classes());
        }
    }
    [[noreturn]] static void refuse_label(const Value& label, const nb::list& classes) {
        const nb::object error = nb::module_::import_("sapwood._labels").attr("undeclared")(to_python(label), classes);
        PyErr_SetObject(error.type().ptr(), error.ptr());
        throw nb::python_error();
    }

    /// The classes as Python objects, and their order among them sorted.
    struct Classes {
        std::vector<nb::object> labels;     // in the order of appearance
        std::vector<std::uint32_t> sorted;  // numbers of classes
        std::vector<std::uint32_t> places;  // of each class among them sorted; empty if they appeared in that order
    };

    /// At least the first `n` classes; made again only when there are more.
    const std::shared_ptr<const Classes>& known_classes(std::size_t n) const {
        if (classes_ && classes_->labels.size() >= n) return classes_;
        const nb::list known = classes();  // gives up the interpreter's lock: classes_ must change after it, at once
        auto made = std::make_shared<Classes>();
        nb::list numbers;
        for (nb::handle value : known) {
            numbers.append(made->labels.size());
            made->labels.push_back(nb::borrow(value));
        }
        numbers.attr("sort")("key"_a = known.attr("__getitem__"));
        for (nb::handle y : numbers) made->sorted.push_back(nb::cast<std::uint32_t>(y));
        if (!std::is_sorted(made->sorted.begin(), made->sorted.end())) {
            made->places.resize(made->sorted.size());
            for (std::uint32_t place = 0; place < made->sorted.size(); ++place)
                made->places[made->sorted[place]] = place;
        }
        if (!classes_ || made->labels.size() > classes_->labels.size()) classes_ = std::move(made);
        return classes_;
    }

    nb::object label(std::uint32_t y) const { return known_classes(y + 1)->labels[y]; }

    /// A number of each class, by label, sorted.
    nb::dict by_class(const std::vector<double>& numbers) const {
        nb::dict out;
        const Classes& known = *known_classes(numbers.size());
        for (const std::uint32_t y : known.sorted)
            if (y < numbers.size()) out[known.labels[y]] = numbers[y];
        return out;
    }

    /// Learns a row of numbers in known columns, with a label that is known. Returns false, with nothing done, for any
    /// other row, and for one that may have to be refused.
    bool learn_numbers(const nb::dict& x, nb::handle y, double w, bool seen) {
        RowMemory::Room row(memory_);
        if (!memory_.read(x, *row)) return false;
        std::uint32_t label = memory_.class_of(y);
        const bool is_known = label != kNoClass;
        std::optional<Value> name;
        if (!is_known) {
            if (!RowMemory::is_plain(y)) return false;
            name = to_value(y, "A class label");
        }
        bool learned = false;
        write_briefly([&](Model& model) {
            if (!is_known) label = model.schema().classes.find(*name).value_or(kNoClass);
            learned = label != kNoClass && model.learn_numbers(*row, label, w, seen);
        });
        if (learned && !is_known) memory_.remember(y, label);
        return learned;
    }

    /// The shortest way to a row of numbers in known columns; false if it is none.
    template <class Look>
    bool look_at_numbers(const nb::dict& x, Look&& look) {
        bool suits = false;
        if (RowMemory::Room row(memory_); memory_.read(x, *row))
            read_briefly([&](const Model& model) {
                suits = model.suits_numbers(*row);
                if (suits) look(model, row->data());
            });
        return suits;
    }

    /// Calls look(model, encoded row).
    template <class Look>
    void look_at(const nb::dict& x, Look&& look) {
        if (look_at_numbers(x, look)) return;
        const std::vector<Cell> cells = read_row(x, nullptr);
        read_briefly([&](const Model& model) {
            std::vector<double> row;
            model.encode_row(cells, row);
            look(model, row.data());
        });
    }

    /// The cells of a mapping, missing values left out. New names are kept in `new_names`, or passed over without it.
    std::vector<Cell> read_row(const nb::dict& x, std::deque<Value>* new_names) {
        std::vector<Cell> cells;
        cells.reserve(x.size());
        std::size_t i = 0;
        bool passed_over = false;
        for (auto [key, value] : x) {
            const std::size_t position = i++;
            Cell cell;
            if (!read_cell(value, key, cell)) continue;
            const nb::object held = nb::borrow(key);  // to find it, the interpreter's lock may be given up
            cell.column = column_of(held);
            if (cell.column == kNewColumn) {
                if (!new_names) {
                    passed_over = true;
                    continue;
                }
                new_names->push_back(to_value(held, "A column name"));
                cell.name = &new_names->back();
            } else {
                memory_.remember(held, position, cell.column);
            }
            cells.push_back(std::move(cell));
        }
        if (passed_over && cells.empty()) note_unmatched(x);
        return cells;
    }

    /// A row was asked about that has values, and none of the columns that are known: its keys may be misspelt.
    void note_unmatched(const nb::dict& x) {
        const nb::list known = columns();
        for (nb::handle column : known)
            if (x.contains(column)) return;  // it has no value in this row
        if (known.size() == 0 || ++unmatched_ > 1) return;
        if (PyErr_WarnEx(PyExc_UserWarning,
                         "A row has none of the columns that the model knows, and is taken as one without values: are "
                         "its keys spelt as they were? This is said once; n_unmatched_ counts such rows.",
                         1) < 0)
            PyErr_Clear();  // never an error, not even where warnings are errors
    }

    std::uint32_t column_of(nb::handle key) {
        if (PyUnicode_Check(key.ptr())) {
            Py_ssize_t size = 0;
            const char* text = PyUnicode_AsUTF8AndSize(key.ptr(), &size);
            if (!text) PyErr_Clear();  // to_value() says what is wrong
            const std::uint32_t column = text ? memory_.column_of({text, static_cast<std::size_t>(size)}) : kNewColumn;
            if (column != kNewColumn) return column;
        }
        const Value name = to_value(key, "A column name");
        if (std::holds_alternative<double>(name)) throw TypeMismatch("A column name must be text or a whole number.");
        std::uint32_t column = kNewColumn;
        read_briefly([&](const Model& model) { column = model.schema().columns.find(name).value_or(kNewColumn); });
        return column;
    }

    SharedModel shared_;
    mutable std::shared_ptr<const Classes> classes_;  // what is known of them by now
    std::size_t unmatched_ = 0;                       // rows asked about without a known column
    bool classes_declared_ = false;                   // no other is learned; under the interpreter's lock
    RowMemory memory_;
};

}  // namespace

void bind_model(nb::module_& module) {
    using nb::sig;
    nb::class_<PyModel>(module, "Model")
        .def(
            "__init__", [](PyModel* self, const nb::dict& params) { new (self) PyModel(Model(read_params(params))); },
            "params"_a, sig("def __init__(self, params: dict[str, typing.Any]) -> None"))
        .def("declare_categorical", &PyModel::declare_categorical, "names"_a)
        .def("declare_classes", &PyModel::declare_classes, "labels"_a)
        .def("advance", &PyModel::advance, "n"_a)
        .def("learn", &PyModel::learn, "columns"_a, "names"_a, "n_rows"_a, "fixed"_a, "codes"_a, "values"_a,
             "weights"_a.none(), "declared"_a = nb::tuple())
        .def("declare", &PyModel::declare, "columns"_a, "names"_a, "n_rows"_a)
        .def("run", &PyModel::run, "trial"_a.none(), "columns"_a, "names"_a, "n_rows"_a, "codes"_a, "values"_a,
             "times"_a.none(), "first"_a, "every"_a, "stop"_a = nb::none(),
             sig("def run(self, trial: Trial | None, columns: object, names: object, n_rows: int, "
                 "codes: NDArray[numpy.int32], values: object, times: NDArray[numpy.float64] | None, first: int, "
                 "every: int, stop: typing.Callable[[], bool] | None = None) -> tuple[NDArray[numpy.uint32], "
                 "NDArray[numpy.uint8] | None, list[tuple[int, int, int, int, int, float]], BaseException | None]"))
        .def("trial_state", &PyModel::trial_state, "trial"_a)
        .def("restore_trial", &PyModel::restore_trial, "trial"_a, "state"_a)
        .def("fresh", &PyModel::fresh)
        .def("copy", &PyModel::copy)
        .def("adopt_names", &PyModel::adopt_names, "other"_a)
        .def("require_suits", &PyModel::require_suits, "x"_a,
             sig("def require_suits(self, x: dict[typing.Any, typing.Any]) -> None"))
        .def_static("check_row", &PyModel::check_row, "x"_a,
                    sig("def check_row(x: dict[typing.Any, typing.Any]) -> None"))
        .def("see_row", &PyModel::see_row, "x"_a, "all_names"_a,
             sig("def see_row(self, x: dict[typing.Any, typing.Any], all_names: bool) -> None"))
        .def("require_label", &PyModel::require_label, "y"_a.none())
        .def("consider", &PyModel::consider, "x"_a,
             sig("def consider(self, x: dict[typing.Any, typing.Any]) -> tuple[typing.Any, dict[typing.Any, float], "
                 "list[float]]"))
        .def("predict", &PyModel::predict, "columns"_a, "names"_a, "n_rows"_a, "threads"_a = 1)
        .def("predict_proba", &PyModel::predict_proba, "columns"_a, "names"_a, "n_rows"_a, "threads"_a = 1)
        .def("apply", &PyModel::apply, "columns"_a, "names"_a, "n_rows"_a, "threads"_a = 1)
        .def("learn_one", &PyModel::learn_one, "x"_a, "y"_a.none(), "w"_a = 1.0, "seen"_a = false,
             sig("def learn_one(self, x: dict[typing.Any, typing.Any], y: object, w: float = 1.0, "
                 "seen: bool = False) -> None"))
        .def("predict_one", &PyModel::predict_one, "x"_a,
             sig("def predict_one(self, x: dict[typing.Any, typing.Any]) -> typing.Any"))
        .def("predict_proba_one", &PyModel::predict_proba_one, "x"_a,
             sig("def predict_proba_one(self, x: dict[typing.Any, typing.Any]) -> dict[typing.Any, float]"))
        .def("explain", &PyModel::explain, "x"_a,
             sig("def explain(self, x: dict[typing.Any, typing.Any]) -> tuple[list[tuple[tuple[typing.Any, ...], "
                 "bool]], int, float, typing.Any, dict[typing.Any, float]]"))
        .def("splits", &PyModel::splits, sig("def splits(self) -> list[dict[str, typing.Any]]"))
        .def("nodes", &PyModel::nodes, sig("def nodes(self) -> list[dict[str, typing.Any]]"))
        .def("to_bytes", &PyModel::to_bytes, "owner_text"_a)
        .def_static(
            "from_bytes",
            [](const nb::bytes& bytes) {
                std::string owner_text;
                std::unique_ptr<PyModel> model;
                {
                    nb::gil_scoped_release unlocked;
                    model = std::make_unique<PyModel>(decode({bytes.c_str(), bytes.size()}, owner_text));
                }
                return nb::make_tuple(nb::cast(model.release(), nb::rv_policy::take_ownership), owner_text);
            },
            "data"_a, sig("def from_bytes(data: bytes) -> tuple[Model, str]"))
        .def_prop_ro("n_unmatched", &PyModel::n_unmatched)
        .def_prop_ro("classes_declared", &PyModel::classes_declared)
        .def_prop_ro("n_leaves", &PyModel::n_leaves)
        .def_prop_ro("depth", &PyModel::depth)
        .def_prop_ro("t", &PyModel::t, sig("def t(self) -> float"))
        .def_prop_ro("nbytes", &PyModel::nbytes)
        .def_prop_ro("n_classes_learned", &PyModel::n_classes_learned)
        .def_prop_ro("classes", &PyModel::classes, sig("def classes(self) -> list[typing.Any]"))
        .def_prop_ro("sorted_classes", &PyModel::sorted_classes, sig("def sorted_classes(self) -> list[typing.Any]"))
        .def_prop_ro("columns", &PyModel::columns, sig("def columns(self) -> list[typing.Any]"))
        .def_prop_ro("kinds", &PyModel::kinds, sig("def kinds(self) -> list[str]"));
}

}  // namespace sapwood::python
