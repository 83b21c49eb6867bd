// One batch on its way into a model, or past it.
//
// Rows are routed in blocks, which keeps the processor busy, and then learned one by one in order; a row whose leaf
// was split meanwhile goes on from there. The result is that of learning row by row, to the last bit.
#pragma once

#include <cstdint>
#include <vector>

#include "sapwood/model.hpp"
#include "sapwood/watch.hpp"

namespace sapwood {

/// The columns of the scikit-learn methods exist from the start. One without any value has no kind yet.
void add_fixed_columns(Model& model, const Batch& batch, const std::vector<Value>& names);

class Lesson {
   public:
    /// `names` are the batch's columns. A column that the model does not know is left out when predicting, and added
    /// with its first value when learning.
    ///
    /// Values are looked at block by block, when they are wanted in the cache anyway: an infinite one is then refused
    /// amid the lesson.
    Lesson(const Batch& batch, const std::vector<Value>& names, const Model& model);
    /// The same for a batch that is known to be complete, or not (Batch::is_complete): check() looks at all its values,
    /// unless they are known to be finite.
    Lesson(const Batch& batch, const std::vector<Value>& names, const Model& model, bool complete, bool finite = false);

    /// Throws if the model must refuse the batch: infinities, a column of the other kind.
    void check(const Model& model) const;
    /// Throws if it must refuse to learn it: also for bad labels or weights.
    void check(const Model& model, const Labels& labels, const double* weights) const;
    /// The batch has classes, columns or categories that the model has not.
    bool brings_new_names(const Model& model, const Labels& labels) const;

    /// Learns rows [begin, end). With `predictions`, first writes what the model says of each row.
    void learn(Model& model, const Labels& labels, const double* weights, std::size_t begin, std::size_t end,
               std::uint32_t* predictions = nullptr);

    /// Who may end the predictions that follow; it outlives them.
    void watched_by(Watch* watch) { watch_ = watch; }
    void predict(const Model& model, std::uint32_t* classes);
    /// Row after row, a class at its place; in the order of the classes' numbers if no places are given.
    void predict_probabilities(const Model& model, double* out, const std::vector<std::uint32_t>& places = {});
    void apply(const Model& model, std::uint32_t* nodes);

   private:
    void refuse(const Model& model, std::size_t column, bool text) const;
    friend class Sweep;
    friend class Trial;
    static constexpr std::size_t kBlock = 256;
    /// A column of the batch that the model does not know yet, and the row of its first value.
    struct Newcomer {
        std::size_t row, column;
    };

    void prepare(const Model& model, const Labels& labels, const double* weights);
    void begin_columns(Model& model, std::size_t row);
    void look_at(std::size_t begin, std::size_t n);
    /// Encodes rows [begin, begin + n) into `block`, or points into the batch itself. With a learner, new categories
    /// are ranked.
    const double* encode(const Model& model, Model* learner, const double* weights, std::size_t begin, std::size_t n,
                         std::vector<double>& block);
    /// The class of a row that is to be learned; a new one becomes known.
    std::uint32_t class_to_learn(Model& model, const Labels& labels, std::size_t row);
    std::size_t ahead_of(const double* rows, std::size_t at, std::size_t n) const;
    /// No value of an encoded row is missing: the batch has all of the model's columns, and is complete.
    bool is_whole(std::size_t width) const;
    /// Whether an encoded row has a category that was never learned.
    bool needs_ranks(const Model& model, const double* row) const;
    /// The row as a mapping that outlives the batch.
    std::vector<Cell> cells_of(std::size_t row) const;
    double rank(const Model& model, Model* learner, std::size_t j, std::int32_t code);
    double rank_number(const Model& model, Model* learner, std::size_t j, double x) const;
    void learn_sparse(Model& model, const Labels& labels, const double* weights, std::size_t begin, std::size_t end,
                      std::uint32_t* predictions);
    /// Calls visit(row, view) with each of rows [begin, end) of a sparse batch spread out. What is stored is put in and
    /// taken out again, so a row costs what it stores.
    template <class Visit>
    void for_each_sparse_row(const Model& model, std::size_t begin, std::size_t end, Visit&& visit);
    template <class Visit>
    void for_each_row(const Model& model, Visit&& visit);

    const Batch& batch_;
    const std::vector<Value>& names_;
    bool complete_;                           // no value is missing: of the batch, or of the block
    bool finite_;                             // no value of the batch is infinite; false where that is not known
    bool looks_ahead_ = true;                 // check() looks at the values of the whole batch
    bool has_categories_ = false;             // some column of the batch or of the model is categorical
    std::vector<std::uint32_t> targets_;      // per column of the batch: the model's column, or kNewColumn
    std::vector<Newcomer> newcomers_;         // in the order in which they begin, last first
    std::vector<std::vector<double>> ranks_;  // per column of the batch: rank of each code, NaN where not asked yet
    std::vector<std::uint32_t> classes_;      // per label code: the class; kNoClass until it is to be learned
    std::vector<double> block_;
    std::vector<std::uint32_t> nodes_;
    Watch* watch_ = nullptr;
};

}  // namespace sapwood
