// Many trees over one stream: tables in, and what each tree made of them out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <memory>
#include <mutex>

#include "arrays.hpp"
#include "convert.hpp"
#include "sapwood/sweep.hpp"

namespace sapwood::python {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// What the trees had come to after some rows.
struct Snapshot {
    std::size_t rows = 0;
    std::vector<std::uint32_t> leaves;
    std::vector<std::size_t> bytes;
    PairsOfClasses confusions;
    double seconds = 0.0;
};

class PySweep {
   public:
    PySweep(nb::list trees, nb::handle categorical) : sweep_(read_all(trees)) {
        for (const Value& name : to_values(categorical, "A column name")) sweep_.names().declare_categorical(name);
    }

    /// Test-then-train by every tree. After `first` and then each `every` rows, and after the last, a record: rows,
    /// leaves, bytes, pairs of classes since the last record, how often each tree had them, seconds.
    nb::list run(nb::handle columns, nb::handle names, std::size_t n_rows, const Codes& codes, nb::handle values,
                 std::size_t first, std::size_t every, nb::handle stop) {
        Watch watch = watch_for(stop);
        const HeldBatch held(columns, names, n_rows);
        const Labels labels{codes.data(), to_values(values, "A class label")};
        std::vector<Snapshot> snapshots;
        {
            nb::gil_scoped_release unlocked;
            std::lock_guard turn(turn_);
            try {
                learn(held, labels, first, every, snapshots, watch);
            } catch (const Stop&) {  // nobody wants what came of it
            }
        }
        nb::list records;
        for (const Snapshot& at : snapshots)
            records.append(nb::make_tuple(
                at.rows, array_of(at.leaves, {at.leaves.size()}), array_of(at.bytes, {at.bytes.size()}),
                array_of(at.confusions.pairs, {at.confusions.pairs.size()}),
                array_of(at.confusions.counts, {at.leaves.size(), at.confusions.pairs.size()}), at.seconds));
        return records;
    }
    nb::list classes() const {
        nb::list out;
        for (const Value& label : sweep_.names().schema().classes.values()) out.append(to_python(label));
        return out;
    }

   private:
    static std::vector<TreeParams> read_all(const nb::list& trees) {
        std::vector<TreeParams> all;
        for (nb::handle tree : trees) all.push_back(read_params(nb::cast<nb::dict>(tree)));
        return all;
    }

    void learn(const HeldBatch& held, const Labels& labels, std::size_t first, std::size_t every,
               std::vector<Snapshot>& snapshots, Watch& watch) {
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        Model& names = sweep_.names();
        const bool complete = held.batch().is_complete();
        Lesson(held.batch(), held.names(), names, complete).check(names, labels, nullptr);
        add_fixed_columns(names, held.batch(), held.names());
        Lesson lesson(held.batch(), held.names(), names, complete);
        Turn turn(held.batch().columns.size() * sweep_.size());
        for (std::size_t at = 0, next = first; at < held.batch().n_rows;) {
            const std::size_t end = std::min({held.batch().n_rows, next, at + turn.rows()});
            turn.begin();
            sweep_.run(lesson, labels, at, end);
            turn.end();
            watch.look();
            at = end;
            if (at != next && at != held.batch().n_rows) continue;
            if (at == next) next += every;
            const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
            snapshots.push_back({at, sweep_.n_leaves(), sweep_.nbytes(), sweep_.take_confusions(), seconds});
        }
    }

    std::mutex turn_;
    Sweep sweep_;
};

}  // namespace

void bind_sweep(nb::module_& module) {
    nb::class_<PySweep>(module, "Sweep", "Trees that differ in c or delta alone, grown over one stream.")
        .def(nb::init<nb::list, nb::handle>(), "trees"_a, "categorical"_a,
             nb::sig("def __init__(self, trees: list[dict[str, Any]], categorical: list[Any]) -> None"))
        .def("run", &PySweep::run, "columns"_a, "names"_a, "n_rows"_a, "codes"_a, "values"_a, "first"_a, "every"_a,
             "stop"_a = nb::none(),
             nb::sig("def run(self, columns: object, names: object, n_rows: int, codes: NDArray[numpy.int32], "
                     "values: object, first: int, every: int, stop: Callable[[], bool] | None = None) -> list[Any]"))
        .def_prop_ro("classes", &PySweep::classes, nb::sig("def classes(self) -> list[Any]"));
}

}  // namespace sapwood::python
