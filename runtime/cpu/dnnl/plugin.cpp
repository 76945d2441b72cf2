// The plugin's entry: splits convolutions among threads without changing their bits.
#include "runtime/cpu/dnnl/plugin.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "runtime/cpu/dnnl/convolution.h"

namespace tide {
namespace {

/// Multiply-adds worth a separate chunk in a weight gradient, and the maximum number of chunks.
constexpr int64_t kChunkWork = 2'000'000;
constexpr int64_t kMaxChunks = 16;
/// The work worth a part of an image while there are only few parts, so that all threads have some.
constexpr int64_t kFewParts = 4, kFewPartsWork = 300'000;
/// Multiply-adds that take as long as reading or writing an element.
constexpr int64_t kWorkPerElement = 8;
/// Maximum number of elements of partial weight gradients that are held at the same time.
constexpr int64_t kMaxPartials = 1 << 24;

/// Calls body, converting exceptions to the message that the plugin's functions return.
template <class Body>
const char* guarded(const Body& body) {
  static thread_local std::string message;
  try {
    body();
    return nullptr;
  } catch (const dnnl::error& error) {
    message = std::string("oneDNN: ") + error.what();
  } catch (const std::bad_alloc&) {
    message = "out of memory on the host";
  }
  return message.c_str();
}

/// Finishes `count` elements of the result from `begin` on, if there is anything to do.
void finish(Finishing* finishing, int64_t begin, int64_t count) {
  if (finishing) finishing->part(begin, begin + count);
}

/// The shape of `images` images of the batch.
ConvolutionShape part_of(ConvolutionShape shape, int64_t images) {
  shape.n = images;
  return shape;
}

/// The number of parts of an image that pays off, at most `most`.
int64_t count_parts(const ConvolutionShape& shape, int64_t most) {
  const ConvolutionShape image = part_of(shape, 1);
  const int64_t work =
      image.multiply_adds() + kWorkPerElement * (image.input_size() + image.output_size());
  const int64_t parts = std::min(
      {std::max(work / kChunkWork, std::min(kFewParts, work / kFewPartsWork)), most, kMaxChunks});
  // Two or four threads then have equal shares.
  if (parts >= kFewParts) return std::min(parts + 2, most) / kFewParts * kFewParts;
  return std::max<int64_t>(1, parts / 2 * 2);
}

/// Batches of fewer images are split within each image.
constexpr int64_t kFewImages = 4;
/// Parts have whole blocks of channels: oneDNN computes full vectors.
constexpr int64_t kBlockChannels = 16;
/// Channels of the result that are worth a separate part.
constexpr int64_t kPartChannels = 32;
/// Multiply-adds with each element of a part's input that are worth reordering it again.
constexpr int64_t kUsesPerElement = 32;

/// The convolution of one image for some of its groups; with a single group, for some channels of
/// the result. Groups are parts of planes only if those are not channels last.
class ChannelPart {
 public:
  /// Part `index` of `parts`.
  ChannelPart(const ConvolutionShape& shape, ConvolutionPass pass, int64_t index, int64_t parts)
      : forward_(pass == ConvolutionPass::forward), full_(shape), part_(part_of(shape, 1)) {
    const int64_t units = units_of(shape, pass), block = shape.groups > 1 ? 1 : kBlockChannels;
    const auto first = [&](int64_t part) {
      return std::min(units, (units + block - 1) / block * part / parts * block);
    };
    unit_ = first(index);
    const int64_t count = first(index + 1) - unit_;
    if (shape.groups > 1) {
      part_.groups = count;
      part_.c = shape.c / shape.groups * count;
      part_.o = shape.o / shape.groups * count;
    } else {
      (forward_ ? part_.o : part_.c) = count;
    }
  }

  /// The number of parts of one image that pays off.
  static int64_t count(const ConvolutionShape& shape, ConvolutionPass pass) {
    const bool forward = pass == ConvolutionPass::forward;
    const int64_t work = shape.multiply_adds() / shape.n;
    const int64_t input = forward ? shape.input_size() : shape.output_size();
    if (shape.channels_last && shape.groups > 1) return 1;
    int64_t most = shape.groups;  // each group has its own inputs
    if (most == 1)
      most =
          std::min((forward ? shape.o : shape.c) / kPartChannels, work / (kUsesPerElement * input));
    return count_parts(shape, most);
  }

  /// Of planes that are not channels last: where its part of an image's result begins, and its
  /// size.
  int64_t result_offset() const {
    return unit_ * (result_size() / std::max<int64_t>(1, units_of(part_, pass())));
  }
  int64_t result_size() const { return forward_ ? part_.output_size() : part_.input_size(); }

  /// The floats of its prepared weight.
  int64_t prepared_size(bool has_bias) const { return convolution(has_bias).reordered_size(); }
  void prepare(const float* second, bool has_bias, float* to) const {
    Convolution& own = convolution(has_bias);
    if (own.reordered_size() > 0) own.reorder_weight(weight(second), to);
  }

  /// first, second, bias -> result, like Convolution::run; `first` and `result` are this image's.
  /// `prepared`: what prepare() wrote, or null.
  void run(const float* first, const float* second, const float* prepared, const float* bias,
           float* result) const {
    const int64_t from = forward_ ? full_.h * full_.w : full_.oh * full_.ow;
    const int64_t to = forward_ ? full_.oh * full_.ow : full_.h * full_.w;
    const int64_t groups = full_.groups;
    const int64_t inputs = (forward_ ? full_.c : full_.o) / groups;
    const int64_t outputs = groups > 1 ? (forward_ ? full_.o : full_.c) / groups : 1;
    const float* part_bias = bias ? bias + unit_ * outputs : nullptr;
    const auto run_on = [&](const float* from_part, float* to_part) {
      Convolution& own = convolution(bias != nullptr);
      if (prepared && own.reordered_size() > 0)
        own.run_reordered(from_part, prepared, part_bias, to_part);
      else
        own.run(from_part, weight(second), part_bias, to_part);
    };
    if (!full_.channels_last)
      return run_on(groups > 1 ? first + unit_ * inputs * from : first,
                    result + unit_ * outputs * to);
    const int64_t width = forward_ ? part_.o : part_.c, full_width = forward_ ? full_.o : full_.c;
    if (width == full_width) return run_on(first, result);
    static thread_local Workspace workspace;
    float* own = workspace.get<float>(to * width);
    run_on(first, own);
    for (int64_t pixel = 0; pixel < to; ++pixel)
      std::copy_n(own + pixel * width, width, result + pixel * full_width + unit_);
  }

 private:
  /// The units that are split: groups if there are several, else channels of the result.
  static int64_t units_of(const ConvolutionShape& shape, ConvolutionPass pass) {
    if (shape.groups > 1) return shape.groups;
    return pass == ConvolutionPass::forward ? shape.o : shape.c;
  }

  ConvolutionPass pass() const {
    return forward_ ? ConvolutionPass::forward : ConvolutionPass::backward_input;
  }

  Convolution& convolution(bool has_bias) const {
    return Convolution::cached(part_, pass(), has_bias);
  }

  /// The part's filters: in place, or copied if they are not contiguous.
  const float* weight(const float* all) const {
    const int64_t units = full_.groups > 1 ? full_.groups : full_.o;
    const int64_t taps = full_.kh * full_.kw;
    if (forward_ || full_.groups > 1) return all + unit_ * (full_.weight_size() / units);
    if (part_.c == full_.c) return all;
    static thread_local Workspace workspace;
    const bool last = full_.weight_channels_last;
    const int64_t rows = last ? full_.o * taps : full_.o, each = last ? 1 : taps;
    float* copy = workspace.get<float>(rows * part_.c * each);
    for (int64_t row = 0; row < rows; ++row)
      std::copy_n(all + (row * full_.c + unit_) * each, part_.c * each,
                  copy + row * part_.c * each);
    return copy;
  }

  bool forward_;
  ConvolutionShape full_, part_;
  int64_t unit_;
};

/// Some rows of the result of one image, for planes that are channels last. All parts use the same
/// weight.
class RowPart {
 public:
  /// Part `index` of `parts`.
  RowPart(const ConvolutionShape& shape, int64_t index, int64_t parts)
      : full_(shape), part_(part_of(shape, 1)) {
    row_ = shape.oh * index / parts;
    part_.oh = shape.oh * (index + 1) / parts - row_;
    const int64_t first = row_ * shape.stride_h - shape.pad_h;
    const int64_t reach = (part_.oh - 1) * shape.stride_h + (shape.kh - 1) * shape.dilation_h + 1;
    input_row_ = std::clamp<int64_t>(first, 0, shape.h - 1);
    part_.h = std::clamp<int64_t>(first + reach, input_row_ + 1, shape.h) - input_row_;
    part_.pad_h = input_row_ - first;
  }

  /// The number of parts of one image, and whether they are better than parts of the channels: each
  /// part reads all of the weight.
  static int64_t count(const ConvolutionShape& shape) {
    const bool few_weights = shape.weight_size() <= shape.input_size() + shape.output_size();
    const bool all_overlap = shape.pad_h <= (shape.kh - 1) * shape.dilation_h;  // the input
    if (!shape.channels_last || !all_overlap || (shape.groups == 1 && !few_weights)) return 1;
    return count_parts(shape, shape.oh / kLeastRows);
  }

  Convolution& convolution(bool has_bias) const {
    return Convolution::cached(part_, ConvolutionPass::forward, has_bias);
  }

  const float* input(const float* image) const { return image + input_row_ * full_.w * full_.c; }
  float* output(float* image) const { return image + row_ * full_.ow * full_.o; }
  int64_t output_size() const { return part_.output_size(); }

 private:
  static constexpr int64_t kLeastRows = 2;
  ConvolutionShape full_, part_;
  int64_t row_, input_row_;
};

/// How a convolution is divided into parts, each computed on one thread: chunks of images, or, if
/// there are few, rows or channels of each. Their number depends on the shape alone, and so do the
/// bits. (oneDNN's own threads would wait for each other at the end of each convolution: see Team.)
struct Division {
  enum class Kind { images, rows, channels };
  Kind kind = Kind::images;
  int64_t images = 1;  ///< of a chunk; the last one may have fewer
  int64_t parts = 1;   ///< of an image

  Division(const ConvolutionShape& shape, ConvolutionPass pass) {
    if (shape.n >= kFewImages) {
      images = (shape.n + kMaxChunks - 1) / kMaxChunks;
      return;
    }
    if (pass == ConvolutionPass::forward) parts = RowPart::count(shape);
    kind = parts > 1 ? Kind::rows : Kind::channels;
    if (parts == 1) parts = ChannelPart::count(shape, pass);
  }
};

/// The weight of a forward pass in the layouts of its parts: prepared before, or reordered now.
class PartWeights {
 public:
  PartWeights(const ConvolutionShape& shape, const Division& division, bool has_bias)
      : shape_(shape), division_(division), has_bias_(has_bias) {}

  int64_t size() const {
    if (division_.kind != Division::Kind::channels) return shared().reordered_size();
    return division_.parts * size_of_part();
  }
  /// Of parts of the channels: floats between the weights of neighbours.
  int64_t size_of_part() const {
    int64_t most = 0;
    for (int64_t i = 0; i < division_.parts; ++i)
      most = std::max(most, part(i).prepared_size(has_bias_));
    return most;
  }

  void prepare(const float* weight, float* to, Parallel& parallel) const {
    if (division_.kind != Division::Kind::channels) {
      if (size() > 0) shared().reorder_weight(weight, to);
      return;
    }
    const int64_t apart = size_of_part();
    parallel.for_range(division_.parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) part(i).prepare(weight, has_bias_, to + i * apart);
    });
  }

  /// The weight of all parts but those of channels, on the calling thread.
  const float* of_all(const float* prepared, const float* weight) const {
    if (prepared && size() > 0) return prepared;
    return shared().reordered_weight(weight);
  }
  /// The convolution whose layout they have.
  Convolution& shared() const {
    if (division_.kind == Division::Kind::rows)
      return RowPart(shape_, division_.parts / 2, division_.parts).convolution(has_bias_);
    return Convolution::cached(part_of(shape_, division_.images), ConvolutionPass::forward,
                               has_bias_);
  }

 private:
  ChannelPart part(int64_t i) const {
    return {shape_, ConvolutionPass::forward, i, division_.parts};
  }

  const ConvolutionShape& shape_;
  const Division& division_;
  bool has_bias_;
};

void run_rows(const ConvolutionShape& shape, const Division& division, const float* input,
              const float* weight, const float* prepared, const float* bias, float* output,
              Finishing* finishing, Parallel& parallel) {
  const bool has_bias = bias != nullptr;
  const PartWeights weights(shape, division, has_bias);
  const float* shared = weights.of_all(prepared, weight);
  const dnnl::memory::desc layout = weights.shared().weight_layout();  // a copy: see kMaxCached
  const int64_t parts = division.parts;
  parallel.for_range(shape.n * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const RowPart part(shape, i % parts, parts);
      const float* from = part.input(input + i / parts * shape.input_size());
      float* to = part.output(output + i / parts * shape.output_size());
      Convolution& convolution = part.convolution(has_bias);
      if (convolution.weight_layout() == layout)
        convolution.run_reordered(from, shared, bias, to);
      else
        convolution.run(from, weight, bias, to);
      finish(finishing, to - output, part.output_size());
    }
  });
  if (finishing) finishing->done = true;
}

void run_channels(const ConvolutionShape& shape, ConvolutionPass pass, const Division& division,
                  const float* first, const float* second, const float* prepared, const float* bias,
                  float* result, Finishing* finishing, Parallel& parallel) {
  const bool forward = pass == ConvolutionPass::forward;
  const int64_t from = forward ? shape.input_size() : shape.output_size();
  const int64_t to = forward ? shape.output_size() : shape.input_size();
  const int64_t parts = division.parts;
  const int64_t apart = prepared ? PartWeights(shape, division, bias != nullptr).size_of_part() : 0;
  // Parts of the channels of channels-last planes are not contiguous.
  if (shape.channels_last && parts > 1) finishing = nullptr;
  parallel.for_range(shape.n * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const ChannelPart part(shape, pass, i % parts, parts);
      part.run(first + i / parts * from, second, prepared ? prepared + i % parts * apart : nullptr,
               bias, result + i / parts * to);
      finish(finishing, i / parts * to + part.result_offset(), part.result_size());
    }
  });
  if (finishing) finishing->done = true;
}

void run_images(const ConvolutionShape& shape, ConvolutionPass pass, int64_t images,
                const float* first, const float* second, const float* weight, const float* bias,
                float* result, Finishing* finishing, Parallel& parallel) {
  const bool has_bias = bias != nullptr, forward = pass == ConvolutionPass::forward;
  const int64_t from = forward ? shape.input_size() : shape.output_size();
  const int64_t to = forward ? shape.output_size() : shape.input_size();
  parallel.for_range((shape.n + images - 1) / images, 1, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const int64_t image = chunk * images, count = std::min(images, shape.n - image);
      Convolution& one = Convolution::cached(part_of(shape, count), pass, has_bias);
      const float* input = first + image * from;
      float* output = result + image * to;
      // The last chunk may be shorter, and prefer another layout.
      if (count == images)
        one.run_reordered(input, weight, bias, output);
      else
        one.run(input, second, bias, output);
      finish(finishing, image * to, count * to);
    }
  });
  if (finishing) finishing->done = true;
}

const char* forward(const ConvolutionShape& shape, const float* input, const float* weight,
                    const float* prepared, const float* bias, float* output, Finishing* finishing,
                    Parallel& parallel) {
  return guarded([&] {
    constexpr ConvolutionPass pass = ConvolutionPass::forward;
    const Division division(shape, pass);
    switch (division.kind) {
      case Division::Kind::rows:
        return run_rows(shape, division, input, weight, prepared, bias, output, finishing,
                        parallel);
      case Division::Kind::channels:
        return run_channels(shape, pass, division, input, weight, prepared, bias, output, finishing,
                            parallel);
      case Division::Kind::images: {
        const PartWeights weights(shape, division, bias != nullptr);
        return run_images(shape, pass, division.images, input, weight,
                          weights.of_all(prepared, weight), bias, output, finishing, parallel);
      }
    }
  });
}

int64_t prepared_size(const ConvolutionShape& shape, bool has_bias) {
  const Division division(shape, ConvolutionPass::forward);
  return PartWeights(shape, division, has_bias).size();
}

const char* prepare(const ConvolutionShape& shape, bool has_bias, const float* weight,
                    float* prepared, Parallel& parallel) {
  return guarded([&] {
    const Division division(shape, ConvolutionPass::forward);
    PartWeights(shape, division, has_bias).prepare(weight, prepared, parallel);
  });
}

const char* backward_input(const ConvolutionShape& shape, const float* dy, const float* weight,
                           float* dx, Parallel& parallel) {
  return guarded([&] {
    constexpr ConvolutionPass pass = ConvolutionPass::backward_input;
    const Division division(shape, pass);
    if (division.kind == Division::Kind::channels)
      return run_channels(shape, pass, division, dy, weight, nullptr, nullptr, dx, nullptr,
                          parallel);
    const float* reordered =
        Convolution::cached(part_of(shape, division.images), pass, false).reordered_weight(weight);
    run_images(shape, pass, division.images, dy, weight, reordered, nullptr, dx, nullptr, parallel);
  });
}

/// The number of chunks depends on the shape alone, and so do the bits.
int64_t chunks_of(const ConvolutionShape& shape) {
  const int64_t affordable = std::max<int64_t>(1, kMaxPartials / shape.weight_size());
  const int64_t worthwhile = std::max<int64_t>(1, shape.multiply_adds() / kChunkWork);
  return std::min({affordable, worthwhile, kMaxChunks, shape.n});
}

/// Computes each chunk of the batch on one thread, and then adds the chunks' sums in order: with
/// oneDNN's own threads, bits would depend on their number, and it would take as long.
const char* backward_weight(const ConvolutionShape& shape, const float* dy, const float* input,
                            float* dw, Parallel& parallel) {
  return guarded([&] {
    static thread_local Workspace workspace;
    const int64_t chunks = chunks_of(shape), size = shape.weight_size();
    float* partials = workspace.get<float>((chunks - 1) * size + 1);
    parallel.for_range(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        const int64_t first = shape.n * chunk / chunks, last = shape.n * (chunk + 1) / chunks;
        Convolution::cached(part_of(shape, last - first), ConvolutionPass::backward_weight, false)
            .run(dy + first * shape.output_size(), input + first * shape.input_size(), nullptr,
                 chunk == 0 ? dw : partials + (chunk - 1) * size);
      }
    });
    parallel.for_range(size, 16384, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = 1; chunk < chunks; ++chunk)
        for (int64_t i = begin; i < end; ++i) dw[i] += partials[(chunk - 1) * size + i];
    });
  });
}

/// Limits oneDNN to the instruction set that TIDE_CPU allows.
void narrow_instruction_set() {
  const char* name = std::getenv("TIDE_CPU");
  if (!name) return;
  if (std::string_view(name) == "x86-64") dnnl::set_max_cpu_isa(dnnl::cpu_isa::sse41);
  if (std::string_view(name) == "haswell") dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx2);
}

/// Creates a first primitive, which initializes oneDNN, while no other thread uses it. Threads
/// cache their own primitives, because oneDNN's shared cache reads descriptions that other threads
/// have released.
void set_up_library() {
  narrow_instruction_set();
  dnnl::set_primitive_cache_capacity(0);
  Convolution::cached({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1}, ConvolutionPass::forward,
                      false);
}

}  // namespace
}  // namespace tide

extern "C" __attribute__((visibility("default"))) const tide::DnnlPlugin* tide_dnnl_plugin() {
  static const tide::DnnlPlugin plugin = [] {
    tide::set_up_library();
    return tide::DnnlPlugin{tide::forward, tide::prepared_size, tide::prepare, tide::backward_input,
                            tide::backward_weight};
  }();
  return &plugin;
}
