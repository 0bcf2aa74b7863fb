package dev.stowage.formats.tflite;

import dev.stowage.formats.flatbuffers.FlatField;

/** The fields of the TensorFlow Lite schema (version 3) that are read, table by table. */
final class TfliteSchema {
  static final String IDENTIFIER = "TFL3";

  static final FlatField MODEL_OPERATOR_CODES = new FlatField(1, "operator_codes");
  static final FlatField MODEL_SUBGRAPHS = new FlatField(2, "subgraphs");
  static final FlatField MODEL_BUFFERS = new FlatField(4, "buffers");
  static final FlatField MODEL_METADATA = new FlatField(6, "metadata");
  static final FlatField MODEL_SIGNATURE_DEFS = new FlatField(7, "signature_defs");

  static final FlatField SUBGRAPH_TENSORS = new FlatField(0, "tensors");
  static final FlatField SUBGRAPH_INPUTS = new FlatField(1, "inputs");
  static final FlatField SUBGRAPH_OUTPUTS = new FlatField(2, "outputs");
  static final FlatField SUBGRAPH_OPERATORS = new FlatField(3, "operators");
  static final FlatField SUBGRAPH_NAME = new FlatField(4, "name");

  static final FlatField TENSOR_SHAPE = new FlatField(0, "shape");
  static final FlatField TENSOR_TYPE = new FlatField(1, "type");
  static final FlatField TENSOR_BUFFER = new FlatField(2, "buffer");
  static final FlatField TENSOR_NAME = new FlatField(3, "name");
  static final FlatField TENSOR_QUANTIZATION = new FlatField(4, "quantization");
  static final FlatField TENSOR_IS_VARIABLE = new FlatField(5, "is_variable");
  static final FlatField TENSOR_SHAPE_SIGNATURE = new FlatField(7, "shape_signature");
  static final FlatField TENSOR_EXTERNAL_BUFFER = new FlatField(10, "external_buffer");

  static final FlatField OPERATOR_OPCODE_INDEX = new FlatField(0, "opcode_index");
  static final FlatField OPERATOR_INPUTS = new FlatField(1, "inputs");
  static final FlatField OPERATOR_OUTPUTS = new FlatField(2, "outputs");
  static final FlatField OPERATOR_OPTIONS_TYPE = new FlatField(3, "builtin_options_type");
  static final FlatField OPERATOR_OPTIONS = new FlatField(4, "builtin_options");

  static final FlatField CODE_DEPRECATED = new FlatField(0, "deprecated_builtin_code");
  static final FlatField CODE_CUSTOM = new FlatField(1, "custom_code");
  static final FlatField CODE_BUILTIN = new FlatField(3, "builtin_code");

  static final FlatField BUFFER_DATA = new FlatField(0, "data");
  static final FlatField BUFFER_OFFSET = new FlatField(1, "offset");
  static final FlatField BUFFER_SIZE = new FlatField(2, "size");

  static final FlatField QUANTIZATION_SCALE = new FlatField(2, "scale");
  static final FlatField QUANTIZATION_ZERO_POINT = new FlatField(3, "zero_point");

  static final FlatField METADATA_NAME = new FlatField(0, "name");

  static final FlatField SIGNATURE_KEY = new FlatField(2, "signature_key");
  static final FlatField SIGNATURE_SUBGRAPH = new FlatField(4, "subgraph_index");

  /** First field of IfOptions, WhileOptions and CallOnceOptions. */
  static final FlatField OPTIONS_FIRST_SUBGRAPH = new FlatField(0, "first subgraph index");

  /** Second field of IfOptions and WhileOptions. */
  static final FlatField OPTIONS_SECOND_SUBGRAPH = new FlatField(1, "second subgraph index");

  static final FlatField CONCATENATION_AXIS = new FlatField(0, "axis");
  static final FlatField CONCATENATION_ACTIVATION = new FlatField(1, "fused_activation_function");

  /** Second field of PackOptions and UnpackOptions. */
  static final FlatField PACK_AXIS = new FlatField(1, "axis");

  static final FlatField STRIDED_SLICE_BEGIN_MASK = new FlatField(0, "begin_mask");
  static final FlatField STRIDED_SLICE_END_MASK = new FlatField(1, "end_mask");
  static final FlatField STRIDED_SLICE_ELLIPSIS_MASK = new FlatField(2, "ellipsis_mask");
  static final FlatField STRIDED_SLICE_NEW_AXIS_MASK = new FlatField(3, "new_axis_mask");
  static final FlatField STRIDED_SLICE_SHRINK_AXIS_MASK = new FlatField(4, "shrink_axis_mask");
  static final FlatField STRIDED_SLICE_OFFSET = new FlatField(5, "offset");

  static final FlatField VAR_HANDLE_CONTAINER = new FlatField(0, "container");
  static final FlatField VAR_HANDLE_SHARED_NAME = new FlatField(1, "shared_name");

  static final int CONCATENATION_OPTIONS = 10;
  static final int STRIDED_SLICE_OPTIONS = 32;
  static final int PACK_OPTIONS = 59;
  static final int UNPACK_OPTIONS = 64;
  static final int IF_OPTIONS = 92;
  static final int WHILE_OPTIONS = 93;
  static final int CALL_ONCE_OPTIONS = 103;
  static final int VAR_HANDLE_OPTIONS = 111;

  private TfliteSchema() {}
}
