// A network as a sequence of operators on tensors: counts parameters, multiply-adds, and the tensors that the backward
// pass needs. Rules of what an operator keeps are those of PyTorch's autograd, in fp32 or under autocast.
#pragma once

#include <cstddef>
#include <vector>

namespace gpuadvise::model {

// Activations of one image. depth is the frames of a clip, the slices of a volume, or the regions of a detector.
struct Tensor {
  double channels = 0;
  double depth = 1;
  double height = 1;
  double width = 1;
  double element_bytes = 4;
  std::size_t id = 0;

  [[nodiscard]] double places() const { return depth * height * width; }
  [[nodiscard]] double elements() const { return channels * places(); }
  [[nodiscard]] double bytes() const { return elements() * element_bytes; }
};

struct Conv {
  double kernel = 3;
  double stride = 1;
  double dilation = 1;
  double groups = 1;
  bool bias = false;
  double padding = -1;      // below 0: keeps the size at stride 1
  double depth_kernel = 1;  // along depth, always padded to keep it
  double depth_stride = 1;
  double depth_padding = -1;
  double kernel_width = 0;  // 0 = kernel
};

// One moment of the step: live bytes = constant + per_image * batch, weights and optimizer states left out.
struct Moment {
  double constant_bytes = 0;
  double per_image_bytes = 0;
};

enum class Numbers { fp32, autocast };

class Graph {
 public:
  // workspace_per_io: workspace of a spatial convolution's backward pass in units of its input and output.
  explicit Graph(Numbers numbers, double workspace_per_io = 0.0)
      : autocast_(numbers == Numbers::autocast), workspace_per_io_(workspace_per_io) {}

  // --- settings that hold from here on
  void freeze(bool frozen) { frozen_ = frozen; }  // weights without gradient: nothing is kept
  void constant_batchnorm(bool constant) { constant_batchnorm_ = constant; }
  void reuse_weights(bool reuse) { reuse_weights_ = reuse; }  // the operators that follow share weights already counted
  // Gradients per image that stand while the operators recorded from here on are differentiated.
  void hold(double bytes) { held_ = bytes; }
  void groupnorm_copies(double copies) { groupnorm_copies_ = copies; }  // 2 before PyTorch 1.8
  [[nodiscard]] bool autocast() const { return autocast_; }

  // --- tensors
  [[nodiscard]] Tensor input(double channels, double height, double width, double depth = 1);  // kept through the step
  [[nodiscard]] Tensor tensor(double channels, double depth, double height, double width, double element_bytes);
  [[nodiscard]] Tensor like(const Tensor& x) { return tensor(x.channels, x.depth, x.height, x.width, x.element_bytes); }
  [[nodiscard]] Tensor reshaped(const Tensor& x, double channels, double height, double width);  // a view
  void keep(const Tensor& x);
  void keep_bytes(double bytes);
  // Alive for a moment on top of all that is kept now; `constant` does not grow with the batch.
  void transient(double per_image_bytes, double constant_bytes = 0);

  // --- operators with weights
  [[nodiscard]] Tensor conv(const Tensor& x, double out, const Conv& conv);
  [[nodiscard]] Tensor transposed_conv(const Tensor& x, double out, double kernel, double stride, bool bias, double depth_stride = 1);
  [[nodiscard]] Tensor linear(const Tensor& x, double out, bool bias = true);  // over channels, at every place
  [[nodiscard]] Tensor batchnorm(const Tensor& x);
  [[nodiscard]] Tensor layernorm(const Tensor& x);
  [[nodiscard]] Tensor groupnorm(const Tensor& x);
  [[nodiscard]] Tensor instancenorm(const Tensor& x);  // stays in 16 bit under autocast, as batch norm does
  void parameters(double count);                       // position tables, layer scales
  void unlearned(double count) { buffers_ += count; }
  [[nodiscard]] Tensor classifier(const Tensor& x, double classes, bool bias = true);  // linear, its size is the classes'

  // --- operators without weights
  [[nodiscard]] Tensor relu(const Tensor& x);        // in place: the output takes the input's storage
  [[nodiscard]] Tensor activation(const Tensor& x);  // SiLU, GELU, hardswish: input kept, new output
  [[nodiscard]] Tensor sigmoid(const Tensor& x);     // output kept
  [[nodiscard]] Tensor multiply(const Tensor& a, const Tensor& b);
  [[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
  [[nodiscard]] Tensor concat(const Tensor& like, double channels);
  [[nodiscard]] Tensor maxpool(const Tensor& x, double kernel, double stride, double padding, double depth_kernel = 1,
                               double depth_stride = 1, bool ceil = false);
  [[nodiscard]] Tensor avgpool(const Tensor& x, double kernel, double stride, double padding = 0);
  [[nodiscard]] Tensor global_pool(const Tensor& x);
  [[nodiscard]] Tensor resized(const Tensor& x, double height, double width);
  [[nodiscard]] Tensor dropout(const Tensor& x);  // with p > 0
  // Attention between the places of q and `keys` places: kernels that keep q, k, v, the output and a sum per row.
  [[nodiscard]] Tensor fused_attention(const Tensor& qkv, double heads);
  // With its scores kept: `windows` independent windows of `queries` x `keys`.
  [[nodiscard]] Tensor eager_attention(const Tensor& q, double windows, double queries, double keys, double heads, double score_copies = 1);

  // --- blocks, for checkpointing: call at the entry of every block that would be recomputed
  void begin_block(const Tensor& x);

  // --- results
  [[nodiscard]] double params() const { return params_; }
  [[nodiscard]] double trained_params() const { return trained_; }
  [[nodiscard]] double buffers() const { return buffers_; }
  [[nodiscard]] double multiply_adds() const { return macs_ + 2 * batchnorm_elements_; }
  [[nodiscard]] double activations() const { return activations_; }
  [[nodiscard]] double saved_bytes() const { return saved_; }
  [[nodiscard]] double cast_bytes() const { return casts_; }
  [[nodiscard]] double checkpointed_bytes() const;
  [[nodiscard]] std::vector<Moment> moments() const;
  [[nodiscard]] double dense3x3_io() const { return dense3x3_io_; }
  [[nodiscard]] double grouped_io() const { return grouped_io_; }
  [[nodiscard]] double large_io() const { return large_io_; }
  [[nodiscard]] double largest_weight() const { return largest_weight_; }
  [[nodiscard]] double batchnorms() const { return batchnorms_; }
  [[nodiscard]] double layernorms() const { return layernorms_; }
  [[nodiscard]] double convs() const { return convs_; }
  [[nodiscard]] double spatial_convs() const { return spatial_convs_; }
  [[nodiscard]] double scores() const { return scores_; }
  [[nodiscard]] double operators() const { return operators_; }
  [[nodiscard]] double params_per_class() const { return params_per_class_; }
  [[nodiscard]] bool depthwise() const { return depthwise_; }

 private:
  struct Event {
    double saved = 0;           // kept when the operator had run
    double transient = 0;       // alive beside it in the backward pass, one image
    double constant = 0;        // the same, whatever the batch
    double trained_before = 0;  // parameters of earlier operators, whose gradients do not exist yet
    double casts_so_far = 0;
    bool forward = false;  // no gradient exists yet
  };

  [[nodiscard]] double half() const { return autocast_ ? 2.0 : 4.0; }
  [[nodiscard]] Tensor low(const Tensor& x);   // autocast: what a matrix operator reads
  [[nodiscard]] Tensor full(const Tensor& x);  // autocast: what a norm reads
  void weights(double count, double bias);
  void record(double transient_bytes);
  void note_conv(const Tensor& x, const Tensor& y, const Conv& conv, double weight_count);

  bool autocast_;
  double workspace_per_io_;
  bool frozen_ = false;
  bool constant_batchnorm_ = false;
  bool reuse_weights_ = false;
  double held_ = 0;
  double groupnorm_copies_ = 1;
  std::size_t next_id_ = 1;
  std::vector<bool> kept_;
  std::vector<Event> events_;
  double params_ = 0, trained_ = 0, buffers_ = 0, macs_ = 0, batchnorm_elements_ = 0, activations_ = 0, saved_ = 0, casts_ = 0;
  double trained_before_ = 0;  // of the operator being recorded
  double block_inputs_ = 0, block_start_ = 0, largest_block_ = 0, outside_blocks_ = -1;
  double dense3x3_io_ = 0, grouped_io_ = 0, large_io_ = 0, largest_weight_ = 0;
  double batchnorms_ = 0, layernorms_ = 0, convs_ = 0, spatial_convs_ = 0, scores_ = 0, operators_ = 0, params_per_class_ = 0;
  bool depthwise_ = false;
};

}  // namespace gpuadvise::model
