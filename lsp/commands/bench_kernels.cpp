// `hearth bench kernels`: what each kernel achieves beside what this machine can do at most, on the same
// threads in the same run.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <iostream>
#include <random>

#include "kernels/cpu/attention.h"
#include "kernels/cpu/device_on_kernels.h"
#include "kernels/cpu/output_head.h"
#include "kernels/quantize.h"
#include "lsp/commands/bench_forward.h"

namespace hearth::commands {
namespace {

namespace json = boost::json;
using namespace kernels;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr double kGiga = 1e9;
constexpr double kTimedMs = 40;  // of one measurement, which is the best of kRepeats
constexpr int kRepeats = 5;
constexpr int kBar = 40;

constexpr int kCols = 768;  // whole blocks of every weight type

// As SmolLM2-135M has them.
constexpr int kHeads = 9, kKvHeads = 3, kHeadDim = 64, kLayers = 30, kVocabulary = 49152;

struct Options {
  BenchOptions common;
  std::string only;
};

struct Figure {
  std::string kernel;
  std::string unit;  // "GB/s", "GOP/s"
  double achieved;
  double ceiling;  // 0: this is one
};

// Calls of `work` a second, at best.
double best_rate(const std::function<void()>& work) {
  work();
  double best = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    int calls = 0;
    double ms = 0;
    do {
      work();
      ++calls;
      ms = milliseconds_since(start);
    } while (ms < kTimedMs);
    best = std::max(best, calls / ms * 1e3);
  }
  return best;
}

class Bench {
 public:
  Bench(const KernelTable& table, int threads, std::string only)
      : threads_(threads), machine_{table, threads_}, only_(std::move(only)), zeros_(kPeakBytes) {}

  std::vector<Figure> run() {
    ceilings();
    for (int type = 0; type < static_cast<int>(std::size(machine_.kernels.matmul)); ++type) {
      if (wanted(name(static_cast<WeightType>(type)))) products(static_cast<WeightType>(type));
    }
    if (wanted("output head")) head();
    if (wanted("attention")) {
      for (const PageFormat format : {PageFormat::kF16, PageFormat::kBF16}) {
        attention(format, 1, 2048);
        attention(format, 1, 8000);
        attention(format, 8, 2048);
        attention(format, 64, 2048);
      }
    }
    return std::move(figures_);
  }

 private:
  bool wanted(std::string_view kernel) const { return kernel.starts_with(only_); }

  void add(std::string kernel, const char* unit, double achieved, double ceiling) {
    figures_.push_back({std::move(kernel), unit, achieved / kGiga, ceiling / kGiga});
  }

  // Bytes a second that all threads read together out of a working set of that size.
  double stream(std::size_t bytes) {
    const Memory memory(bytes);
    std::fill_n(memory.as<char>(), bytes, 0);
    const std::size_t part = bytes / static_cast<std::size_t>(threads_.size());
    return static_cast<double>(bytes) * best_rate([&] {
             threads_.run([&](int thread, int) {
               machine_.kernels.peak_read(memory.as() + static_cast<std::size_t>(thread) * part, part);
             });
           });
  }

  double operations(double (*peak)(const std::byte*, int)) {
    constexpr int kRounds = 100'000;
    const double done = peak(zeros_.as(), kRounds);
    return done * threads_.size() *
           best_rate([&] { threads_.run([&](int, int) { peak(zeros_.as(), kRounds); }); });
  }

  void ceilings() {
    for (const std::size_t mib : {1, 8, 24, 64, 256}) {
      const double speed = stream(mib * kMiB);
      streams_.emplace_back(static_cast<double>(mib * kMiB), speed);
      add(fmt::format("read, {} MiB", mib), "GB/s", speed, 0);
    }
    add("int8 products, 32-bit sums", "GOP/s", int8_ = operations(machine_.kernels.peak_int8), 0);
    add("int8 products, 16-bit sums", "GOP/s", int8_wide_ = operations(machine_.kernels.peak_int8_wide), 0);
    add("fp32 multiply-adds", "GOP/s", f32_ = operations(machine_.kernels.peak_f32), 0);
    bf16_ = operations(machine_.kernels.peak_bf16);
    if (machine_.kernels.bf16_dots) add("bf16 dot products", "GOP/s", bf16_, 0);
  }

  // Of the measured working set that is nearest in size.
  double stream_ceiling(double bytes) const {
    const auto distance = [&](const auto& s) { return std::fabs(std::log(s.first / bytes)); };
    return std::ranges::min_element(streams_, {}, distance)->second;
  }

  double operation_ceiling(WeightType type) const {
    if (type == WeightType::kBF16) return bf16_;
    if (block_elements(type) == 1) return f32_;
    return block_bytes(type) < block_elements(type) ? int8_wide_ : int8_;
  }

  std::unique_ptr<CpuMatrix> matrix(WeightType type, int rows) {
    std::mt19937 random(1);
    const std::size_t stride = row_bytes(type, kCols);
    std::vector<std::byte> bytes(stride * static_cast<std::size_t>(rows));
    // Any bits are codes; the mask keeps what may be a scale or a float small.
    for (auto& byte : bytes) byte = static_cast<std::byte>(random() & 0x37);
    return std::make_unique<CpuMatrix>(MatrixView{type, rows, kCols, bytes}, machine_.kernels, threads_,
                                       arena_);
  }

  void fill(const CpuMatrix& weights, const TileBuffer& inputs, std::size_t rows) {
    std::mt19937 random(2);
    std::uniform_real_distribution<float> value(-1.0f, 1.0f);
    std::vector<float> row(kCols);
    for (std::size_t r = 0; r < rows; ++r) {
      for (float& x : row) x = value(random);
      put_input(machine_, row.data(), kCols, InputForms{&weights}, inputs, r);
    }
  }

  // As decoding reads weights: out of memory; and as prefill uses them: many rows for each.
  void products(WeightType type) {
    const double row = static_cast<double>(row_bytes(type, kCols));
    const auto rows_of = [&](std::size_t bytes) {
      return static_cast<int>(static_cast<double>(bytes) / row);
    };
    const auto large = matrix(type, rows_of(64 * kMiB));
    const TileBuffer inputs(kPrefillRows, kCols);
    const RowBuffer out(kPrefillRows, large->rows());
    fill(*large, inputs, kPrefillRows);
    for (const std::size_t rows : {1, 4, 8}) {
      const double bytes = row * large->rows();
      const double rate = best_rate([&] { add_projection(machine_, *large, {}, inputs, rows, out); });
      add(fmt::format("{} x {} rows", name(type), rows), "GB/s", bytes * rate, stream_ceiling(bytes));
    }
    const auto small = matrix(type, 1536);
    const double rate = best_rate([&] { add_projection(machine_, *small, {}, inputs, kPrefillRows, out); });
    add(fmt::format("{} x {} rows", name(type), kPrefillRows), "GOP/s",
        2.0 * small->rows() * kCols * kPrefillRows * rate, operation_ceiling(type));
  }

  void head() {
    const ModelShape shape = model_shape(1);
    CpuWorkspace workspace(shape, 1, threads_.size());
    const std::vector<float> norm(kCols, 1.0f);
    const auto weights = matrix(WeightType::kQ8_0, kVocabulary);
    const HeadQuery query;
    const double rate = best_rate([&] { run_head(machine_, {norm, {}}, *weights, {&query, 1}, workspace); });
    const double bytes = static_cast<double>(row_bytes(WeightType::kQ8_0, kCols)) * kVocabulary;
    add("output head, Q8_0", "GB/s", bytes * rate, stream_ceiling(bytes));
  }

  static ModelShape model_shape(int layers) {
    ModelShape shape;
    shape.n_layers = layers;
    shape.d_model = kCols;
    shape.n_heads = kHeads;
    shape.n_kv_heads = kKvHeads;
    shape.head_dim = kHeadDim;
    shape.d_ffn = 32;
    shape.n_vocab = kVocabulary;
    shape.max_positions = 8192;
    shape.rope.dimensions = kHeadDim;
    return shape;
  }

  // `rows` queries behind `depth` tokens, in all layers of the model, so that pages are read from where a
  // model's would be.
  void attention(PageFormat format, int rows, int depth) {
    const ModelShape shape = model_shape(kLayers);
    CpuPagePool pool(shape, format, (depth + rows) / kPageTokens + 1);
    CpuWorkspace workspace(shape, rows, threads_.size());
    std::vector<PageRef> pages;
    for (int first = 0; first < depth + rows; first += kPageTokens) {
      pages.push_back({.page = *pool.allocate(), .first_position = static_cast<std::uint32_t>(first)});
      std::memset(pool.keys(pages.back().page, 0, 0), 0, pool.page_bytes());
    }
    std::vector<Row> step;
    for (int r = 0; r < rows; ++r) step.push_back({0, static_cast<std::uint32_t>(depth + r), 0});
    const std::span<const PageRef> sequence(pages);
    const double rate = best_rate([&] {
      for (int layer = 0; layer < kLayers; ++layer)
        attend_rows(machine_, shape, layer, {step, {&sequence, 1}}, pool, workspace);
    });
    const bool dots = format == PageFormat::kBF16 && machine_.kernels.bf16_dots;
    const char* const pages_name = format == PageFormat::kBF16 ? "BF16" : "F16";
    const std::string kernel = fmt::format("attention, {}, {} rows at {}", pages_name, rows, depth);
    if (rows == 1) {
      const double bytes = 2.0 * depth * kKvHeads * kHeadDim * sizeof(std::uint16_t) * kLayers;
      add(kernel, "GB/s", bytes * rate, stream_ceiling(bytes));
    } else {
      add(kernel, "GOP/s", 4.0 * rows * depth * kHeads * kHeadDim * kLayers * rate, dots ? bf16_ : f32_);
    }
  }

  ThreadPool threads_;
  Machine machine_;
  std::string only_;
  Memory zeros_;
  Arena arena_;
  std::vector<std::pair<double, double>> streams_;  // (bytes, bytes a second)
  double int8_ = 0, int8_wide_ = 0, f32_ = 0, bf16_ = 0;
  std::vector<Figure> figures_;
};

std::string table(const std::vector<Figure>& figures) {
  std::string out;
  for (const Figure& f : figures) {
    out += fmt::format("{:<28}{:>9.1f} {:<6}", f.kernel, f.achieved, f.unit);
    if (f.ceiling > 0) {
      const double share = f.achieved / f.ceiling;
      const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kBar + 0.5);
      out += fmt::format("{:>5.0f} % |{}{}|", 100 * share, std::string(filled, '#'),
                         std::string(kBar - filled, ' '));
    }
    out += '\n';
  }
  return out;
}

int run(const Options& options) {
  const int threads = thread_count(options.common);
  const KernelTable& kernels = best_kernels();
  const std::vector<Figure> figures = Bench(kernels, threads, options.only).run();
  if (!options.common.json) {
    std::cout << fmt::format("{}, {} threads, {}\n", kernels.name, threads, cpu_name()) << table(figures);
    return 0;
  }
  json::array list;
  for (const Figure& f : figures) {
    json::object row{{"kernel", f.kernel}, {"unit", f.unit}, {"achieved", f.achieved}};
    if (f.ceiling > 0) {
      row["ceiling"] = f.ceiling;
      row["share"] = f.achieved / f.ceiling;
    }
    list.push_back(std::move(row));
  }
  std::cout << json::serialize(json::object{{"isa", kernels.name},
                                            {"threads", threads},
                                            {"cpu", cpu_name()},
                                            {"kernels", std::move(list)}})
            << '\n';
  return 0;
}

}  // namespace

void add_bench_kernels(CLI::App& bench, Context& context) {
  CLI::App* command =
      bench.add_subcommand("kernels", "Each kernel beside what this machine can do at most; needs no model");
  const auto options = std::make_shared<Options>();
  command->add_option("--only", options->only, "Kernels whose names begin so: Q8_0, attention, output head");
  command->add_option("--threads", options->common.threads, "Compute threads; 0: one for each core")
      ->check(CLI::Range(0, 256));
  command->add_flag("--json", options->common.json, "One JSON object instead of a table");
  command->callback(bench_callback(context, [options] { return run(*options); }));
}

}  // namespace hearth::commands
