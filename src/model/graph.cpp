#include "model/graph.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::model {
namespace {

constexpr double k_fp32_bytes = 4.0;
constexpr double k_index_bytes = 8.0;           // max pooling keeps an int64 index per output
constexpr double k_row_statistics_bytes = 8.0;  // mean and inverse deviation of a layer-norm row
constexpr double k_score_gradients = 3.0;       // of the softmax's output and input, and of the scaled product
constexpr double k_sum_rows = 32.0;             // fused attention pads its row sums to blocks of 32

double output_size(double size, double kernel, double stride, double padding, double dilation) {
  return std::floor((size + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1;
}

double same_padding(double kernel, double dilation) {
  return std::floor((kernel - 1) / 2) * dilation;
}

}  // namespace

Tensor Graph::tensor(double channels, double depth, double height, double width, double element_bytes) {
  return {channels, depth, height, width, element_bytes, next_id_++};
}

// The batch stays alive for the whole step, whether or not the first operator needs it.
Tensor Graph::input(double channels, double height, double width, double depth) {
  const Tensor x = tensor(channels, depth, height, width, k_fp32_bytes);
  keep(x);
  return x;
}

Tensor Graph::reshaped(const Tensor& x, double channels, double height, double width) {
  Tensor view = x;
  view.channels = channels;
  view.height = height;
  view.width = width;
  return view;
}

// Autograd keeps references, so a tensor that several operators need counts once. Frozen operators keep nothing but the
// batch (id 1).
void Graph::keep(const Tensor& x) {
  if (frozen_ && x.id != 1) {
    return;
  }
  if (kept_.size() <= x.id) {
    kept_.resize(x.id + 256);
  }
  if (!kept_[x.id]) {
    kept_[x.id] = true;
    saved_ += x.bytes();
  }
}

void Graph::keep_bytes(double bytes) {
  if (!frozen_) {
    saved_ += bytes;
  }
}

// A moment of the forward pass: no gradient exists yet.
void Graph::transient(double per_image_bytes, double constant_bytes) {
  events_.push_back({saved_, per_image_bytes, constant_bytes, trained_, casts_, true});
}

// What stands beside the kept tensors while this operator is differentiated.
void Graph::record(double transient_bytes) {
  operators_ += 1;
  if (!frozen_) {
    events_.push_back({saved_, transient_bytes + held_, 0, trained_before_, casts_, false});
  }
  trained_before_ = trained_;
}

// A cast under autocast is a new tensor, and that copy is what the operator keeps.
Tensor Graph::low(const Tensor& x) {
  return x.element_bytes <= half() ? x : tensor(x.channels, x.depth, x.height, x.width, half());
}

Tensor Graph::full(const Tensor& x) {
  return x.element_bytes >= k_fp32_bytes ? x : tensor(x.channels, x.depth, x.height, x.width, k_fp32_bytes);
}

// Under autocast every weight is cast once, and the copy lives until its backward pass.
void Graph::weights(double count, double bias) {
  trained_before_ = trained_;
  if (reuse_weights_) {
    return;
  }
  params_ += count + bias;
  if (!frozen_) {
    trained_ += count + bias;
    casts_ += autocast_ ? 2.0 * (count + bias) : 0.0;
  }
}

// Parameters used element by element are not cast.
void Graph::parameters(double count) {
  if (reuse_weights_) {
    return;
  }
  params_ += count;
  if (!frozen_) {
    trained_ += count;
  }
}

// Maxima for the workspace model: cuDNN works on the largest convolution of a kind, not on their sum.
void Graph::note_conv(const Tensor& x, const Tensor& y, const Conv& conv, double weight_count) {
  const double io = (x.elements() + y.elements()) * k_fp32_bytes;
  const bool spatial = conv.kernel > 1 || conv.depth_kernel > 1;
  convs_ += 1;
  spatial_convs_ += spatial ? 1 : 0;
  largest_weight_ = std::max(largest_weight_, weight_count * k_fp32_bytes);
  if (conv.groups > 1 && conv.groups >= x.channels) {
    depthwise_ = true;
  } else if (conv.groups > 1) {
    grouped_io_ = std::max(grouped_io_, spatial ? io : 0.0);
  } else if (conv.kernel > 3) {
    large_io_ = std::max(large_io_, io);
  } else if (spatial) {
    dense3x3_io_ = std::max(dense3x3_io_, io);
  }
}

// Keeps its input; the weight is kept by reference.
Tensor Graph::conv(const Tensor& x, double out, const Conv& c) {
  const double kernel_w = c.kernel_width > 0 ? c.kernel_width : c.kernel;
  const double pad_h = c.padding >= 0 ? c.padding : same_padding(c.kernel, c.dilation);
  const double pad_w = c.padding >= 0 ? c.padding : same_padding(kernel_w, c.dilation);
  const double pad_d = c.depth_padding >= 0 ? c.depth_padding : same_padding(c.depth_kernel, 1);
  const double depth = output_size(x.depth, c.depth_kernel, c.depth_stride, pad_d, 1);
  const double height = output_size(x.height, c.kernel, c.stride, pad_h, c.dilation);
  const double width = output_size(x.width, kernel_w, c.stride, pad_w, c.dilation);
  const double count = out * (x.channels / c.groups) * c.kernel * kernel_w * c.depth_kernel;
  weights(count, c.bias ? out : 0);
  const Tensor read = low(x);
  keep(read);
  const Tensor y = tensor(out, depth, height, width, half());
  macs_ += count * y.places();
  activations_ += y.elements();
  note_conv(read, y, c, count);
  const bool spatial = c.kernel > 1 || c.depth_kernel > 1;
  record((read.bytes() + y.bytes()) * (1.0 + (spatial ? workspace_per_io_ : 0.0)));
  return y;
}

Tensor Graph::transposed_conv(const Tensor& x, double out, double kernel, double stride, bool bias, double depth_stride) {
  const double count = x.channels * out * kernel * kernel * depth_stride;
  weights(count, bias ? out : 0);
  const Tensor read = low(x);
  keep(read);
  const Tensor y = tensor(out, x.depth * depth_stride, x.height * stride, x.width * stride, half());
  macs_ += count * x.places();
  activations_ += y.elements();
  convs_ += 1;
  record((read.bytes() + y.bytes()) * (1.0 + workspace_per_io_));
  return y;
}

Tensor Graph::linear(const Tensor& x, double out, bool bias) {
  const double count = x.channels * out;
  weights(count, bias ? out : 0);
  const Tensor read = low(x);
  keep(read);
  const Tensor y = tensor(out, x.depth, x.height, x.width, half());
  macs_ += count * y.places();
  activations_ += y.elements();
  record(read.bytes() + y.bytes());
  return y;
}

Tensor Graph::classifier(const Tensor& x, double classes, bool bias) {
  params_per_class_ += x.channels + (bias ? 1 : 0);
  return linear(x, classes, bias);
}

// Keeps its input, in training mode and with fixed statistics alike as long as its affine part is trained. Eight bytes a
// channel of statistics are not per image and too few to count.
Tensor Graph::batchnorm(const Tensor& x) {
  if (!reuse_weights_) {
    params_ += 2 * x.channels;
    buffers_ += 2 * x.channels;
  }
  batchnorms_ += 1;
  batchnorm_elements_ += x.elements();
  const Tensor y = like(x);
  if (!constant_batchnorm_) {
    trained_ += frozen_ || reuse_weights_ ? 0 : 2 * x.channels;
    keep(x);
  }
  record(x.bytes() + y.bytes());
  return y;
}

// Runs in fp32 under autocast: keeps an fp32 input and returns fp32, which makes the residual stream fp32.
Tensor Graph::layernorm(const Tensor& x) {
  parameters(2 * x.channels);
  layernorms_ += 1;
  const Tensor read = full(x);
  keep(read);
  keep_bytes(k_row_statistics_bytes * x.places());
  const Tensor y = tensor(x.channels, x.depth, x.height, x.width, k_fp32_bytes);
  record(read.bytes() + y.bytes());
  return y;
}

Tensor Graph::groupnorm(const Tensor& x) {
  parameters(2 * x.channels);
  const Tensor read = full(x);
  keep(read);
  keep_bytes((groupnorm_copies_ - 1) * read.bytes());
  const Tensor y = tensor(x.channels, x.depth, x.height, x.width, k_fp32_bytes);
  record(read.bytes() + y.bytes());
  return y;
}

Tensor Graph::instancenorm(const Tensor& x) {
  parameters(2 * x.channels);
  keep(x);
  const Tensor y = like(x);
  record(x.bytes() + y.bytes());
  return y;
}

Tensor Graph::relu(const Tensor& x) {
  keep(x);
  record(x.bytes());
  return x;
}

// Keeps its input; the output is a tensor of its own, which the next operator usually keeps too.
Tensor Graph::activation(const Tensor& x) {
  keep(x);
  const Tensor y = like(x);
  record(x.bytes() + y.bytes());
  return y;
}

Tensor Graph::sigmoid(const Tensor& x) {
  const Tensor y = like(x);
  keep(y);
  record(x.bytes() + y.bytes());
  return y;
}

// Each factor is the other's derivative.
Tensor Graph::multiply(const Tensor& a, const Tensor& b) {
  keep(a);
  keep(b);
  const Tensor& larger = a.elements() >= b.elements() ? a : b;
  Tensor y = like(larger);
  y.element_bytes = std::max(a.element_bytes, b.element_bytes);
  record(2 * y.bytes());
  return y;
}

// Sums keep nothing, and their gradient is passed on without a copy.
Tensor Graph::add(const Tensor& a, const Tensor& b) {
  Tensor y = like(a);
  y.element_bytes = std::max(a.element_bytes, b.element_bytes);
  operators_ += 1;
  return y;
}

// Keeps nothing, but its output is a new tensor that the next operator keeps.
Tensor Graph::concat(const Tensor& x, double channels) {
  const Tensor y = tensor(channels, x.depth, x.height, x.width, x.element_bytes);
  record(2 * y.bytes());
  return y;
}

Tensor Graph::maxpool(const Tensor& x, double kernel, double stride, double padding, double depth_kernel, double depth_stride, bool ceil) {
  const auto size = [&](double n, double k, double s, double p) {
    const double exact = (n + 2 * p - k) / s;
    return (ceil ? std::ceil(exact) : std::floor(exact)) + 1;
  };
  keep(x);
  const Tensor y = tensor(x.channels, size(x.depth, depth_kernel, depth_stride, 0), size(x.height, kernel, stride, padding),
                          size(x.width, kernel, stride, padding), x.element_bytes);
  keep_bytes(k_index_bytes * y.elements());
  record(x.bytes() + y.bytes());
  return y;
}

Tensor Graph::avgpool(const Tensor& x, double kernel, double stride, double padding) {
  keep(x);
  const Tensor y = tensor(x.channels, x.depth, output_size(x.height, kernel, stride, padding, 1),
                          output_size(x.width, kernel, stride, padding, 1), x.element_bytes);
  record(x.bytes() + y.bytes());
  return y;
}

// A mean keeps its input's shape alone.
Tensor Graph::global_pool(const Tensor& x) {
  const Tensor y = tensor(x.channels, 1, 1, 1, x.element_bytes);
  record(x.bytes() + y.bytes());
  return y;
}

// Interpolation keeps sizes alone.
Tensor Graph::resized(const Tensor& x, double height, double width) {
  const Tensor y = tensor(x.channels, x.depth, height, width, x.element_bytes);
  record(x.bytes() + y.bytes());
  return y;
}

// Keeps a mask of one byte per element.
Tensor Graph::dropout(const Tensor& x) {
  keep_bytes(x.elements());
  const Tensor y = like(x);
  record(x.bytes() + y.bytes());
  return y;
}

// Keeps query, key and value as the one tensor they are views of, the output, and a sum per row; scores never exist whole.
Tensor Graph::fused_attention(const Tensor& qkv, double heads) {
  const double width = qkv.channels / 3;
  const double tokens = qkv.places();
  keep(qkv);
  const Tensor y = tensor(width, qkv.depth, qkv.height, qkv.width, half());
  keep(y);
  keep_bytes(k_fp32_bytes * heads * std::ceil(tokens / k_sum_rows) * k_sum_rows);
  macs_ += 2 * tokens * tokens * width;
  activations_ += heads * tokens * tokens + tokens * width;
  scores_ += heads * tokens * tokens;
  record(qkv.bytes() + y.bytes());
  return y;
}

// Keeps contiguous copies of query, key and value and the softmax's output; under autocast also its 16-bit copy.
Tensor Graph::eager_attention(const Tensor& q, double windows, double queries, double keys, double heads, double score_copies) {
  const double scores = windows * heads * queries * keys;
  const double width = q.channels;
  keep_bytes(windows * (queries + 2 * keys) * width * half());  // contiguous copies that the batched products read
  keep_bytes(scores * k_fp32_bytes * score_copies + (autocast_ ? scores * half() : 0.0));
  macs_ += 2 * windows * queries * keys * width;
  activations_ += scores + windows * queries * width;
  const Tensor y = tensor(width, q.depth, q.height, q.width, half());
  record(k_score_gradients * scores * k_fp32_bytes + y.bytes());
  return y;
}

void Graph::begin_block(const Tensor& x) {
  if (outside_blocks_ < 0) {
    outside_blocks_ = saved_;
  } else {
    largest_block_ = std::max(largest_block_, saved_ - block_start_);
  }
  block_start_ = saved_;
  block_inputs_ += x.bytes();
}

// Kept: what lies before the first block, the inputs of all blocks, and the block being recomputed.
double Graph::checkpointed_bytes() const {
  if (outside_blocks_ < 0) {
    return saved_;
  }
  const double last = saved_ - block_start_;
  return std::min(saved_, outside_blocks_ + block_inputs_ + std::max(largest_block_, last));
}

// In the backward pass the gradients of later operators exist, and the weight copies of earlier ones still do.
std::vector<Moment> Graph::moments() const {
  std::vector<Moment> result;
  result.reserve(events_.size() + 1);
  for (const Event& event : events_) {
    const double gradients = event.forward ? 0.0 : (trained_ - event.trained_before) * k_fp32_bytes;
    result.push_back({gradients + event.casts_so_far + event.constant, event.saved + event.transient});
  }
  result.push_back({casts_, saved_});
  return result;
}

}  // namespace gpuadvise::model
