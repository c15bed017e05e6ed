import type { JsonObject, JsonValue } from '../../util/json.ts';
import type { ToolCall } from '../types.ts';

/** Writes a call as a model family does. */
export interface Renderer {
  format: string;
  render(call: ToolCall): string;
  /** Where the call may be: in prose, on its own line, or as the whole text. */
  place: 'anywhere' | 'line' | 'alone';
  /** Whether the format can represent a text; raw text cannot contain its own closing tag. */
  canHold?: (text: string) => boolean;
}

const json = ({ name, arguments: args }: ToolCall) => JSON.stringify({ name, arguments: args });
const parametersJson = ({ name, arguments: args }: ToolCall) => JSON.stringify({ name, parameters: args });
const withoutTags = (text: string) =>
  !/<\/?[^<>\s]{0,20}(?:param|function|invoke|arg_|tool_call)|<!\[CDATA|\]<\]minimax/.test(text);
/** Readers strip one line break around raw text, so these formats write one around each value. */
const raw = (value: JsonValue) => (typeof value === 'string' ? value : JSON.stringify(value));
const entries = ({ arguments: args }: ToolCall) => Object.entries(args);

function python(value: JsonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, inner]) => `'${key}': ${python(inner)}`)
      .join(', ')}}`;
  }
  if (typeof value === 'number') return String(value);
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
  return `'${escaped}'`;
}

function pythonCall(call: ToolCall): string {
  return `${call.name}(${entries(call)
    .map(([key, value]) => `${key}=${python(value)}`)
    .join(', ')})`;
}

function gemma(value: JsonValue, delimiter: string): string {
  if (typeof value === 'string') return delimiter + value + delimiter;
  if (Array.isArray(value)) return `[${value.map((item) => gemma(item, delimiter)).join(',')}]`;
  if (typeof value === 'object' && value !== null) return gemmaMap(value, delimiter);
  return String(value);
}

function gemmaMap(map: JsonObject, delimiter: string): string {
  return `{${Object.entries(map)
    .map(([key, value]) => `${key}:${gemma(value, delimiter)}`)
    .join(',')}}`;
}

const parameters = (call: ToolCall) =>
  `<function=${call.name}>\n${entries(call)
    .map(([key, value]) => `<parameter=${key}>\n${raw(value)}\n</parameter>\n`)
    .join('')}</function>`;
const invoke = (call: ToolCall) =>
  `<invoke name="${call.name}">\n${entries(call)
    .map(([key, value]) => `<parameter name="${key}">\n${raw(value)}\n</parameter>\n`)
    .join('')}</invoke>`;
const cdata = (value: JsonValue) => `<![CDATA[${raw(value).replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
const functionParams = (call: ToolCall) =>
  `<function name="${call.name}">${entries(call)
    .map(([key, value]) => `<param name="${key}">${cdata(value)}</param>`)
    .join('')}</function>`;
const dsml = (call: ToolCall) =>
  `<｜DSML｜invoke name="${call.name}">\n${entries(call)
    .map(
      ([key, value]) =>
        `<｜DSML｜parameter name="${key}" string="${typeof value === 'string'}">\n${raw(value)}\n</｜DSML｜parameter>\n`,
    )
    .join('')}</｜DSML｜invoke>`;
const pairs = (call: ToolCall, prefix = '') =>
  `${call.name}\n${entries(call)
    .map(
      ([key, value]) =>
        `<${prefix}arg_key>${key}</${prefix}arg_key>\n<${prefix}arg_value>${raw(value)}</${prefix}arg_value>\n`,
    )
    .join('')}`;
const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function elements(value: JsonValue): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map((item) => `<item>\n${elements(item)}\n</item>`).join('');
  return xml(raw(value));
}

/** Every format of the registry, each as its models write it. */
export const RENDERERS: readonly Renderer[] = [
  { format: 'json', place: 'anywhere', render: json },
  { format: 'json', place: 'anywhere', render: parametersJson },
  {
    format: 'json',
    place: 'anywhere',
    render: (call) => JSON.stringify({ arguments: call.arguments, name: call.name }, null, 2),
  },
  { format: 'json', place: 'anywhere', render: (call) => `[${json(call)}]` },
  {
    format: 'json',
    place: 'anywhere',
    render: (call) => JSON.stringify({ tool: call.name, args: call.arguments }),
  },
  {
    format: 'json',
    place: 'anywhere',
    render: (call) => JSON.stringify({ action: call.name, action_input: call.arguments }),
  },
  {
    format: 'json',
    place: 'anywhere',
    render: (call) => JSON.stringify({ type: 'tool_use', id: 'x', name: call.name, input: call.arguments }),
  },
  {
    format: 'json',
    place: 'anywhere',
    render: ({ name, arguments: args }) =>
      JSON.stringify({
        tool_calls: [{ type: 'function', function: { name, arguments: JSON.stringify(args) } }],
      }),
  },
  { format: 'fenced-json', place: 'line', render: (call) => `\`\`\`json\n${json(call)}\n\`\`\`` },
  { format: 'fenced-json', place: 'line', render: (call) => `\`\`\`\n${json(call)}\n\`\`\`` },
  { format: 'tool-call', place: 'line', render: (call) => `\`\`\`tool_call\n${json(call)}\n\`\`\`` },
  {
    format: 'tool-code',
    place: 'line',
    render: (call) => `\`\`\`tool_code\nprint(default_api.${pythonCall(call)})\n\`\`\``,
  },
  { format: 'pythonic', place: 'anywhere', render: (call) => `[${pythonCall(call)}]` },
  { format: 'pythonic', place: 'alone', render: pythonCall },
  {
    format: 'functionary',
    place: 'line',
    render: (call) => `>>>${call.name}\n${JSON.stringify(call.arguments)}`,
  },
  {
    format: 'functionary',
    place: 'line',
    render: (call) => `${call.name}\n${JSON.stringify(call.arguments)}`,
  },
  {
    format: 'react',
    place: 'line',
    render: (call) => `Action: ${call.name}\nAction Input: ${JSON.stringify(call.arguments)}`,
  },
  {
    format: 'kimi-k2-bare',
    place: 'anywhere',
    render: (call) => `functions.${call.name}:0${JSON.stringify(call.arguments)}`,
  },
  { format: 'functools', place: 'anywhere', render: (call) => `functools[${json(call)}]` },
  { format: 'hermes', place: 'anywhere', render: (call) => `<tool_call>\n${json(call)}\n</tool_call>` },
  { format: 'hermes', place: 'anywhere', render: (call) => `<tool_call>${json(call)}` },
  { format: 'jamba', place: 'anywhere', render: (call) => `<tool_calls>[\n${json(call)}\n]</tool_calls>` },
  { format: 'hermes', place: 'anywhere', render: (call) => `<TOOLCALL>[${json(call)}]</TOOLCALL>` },
  { format: 'granite', place: 'anywhere', render: (call) => `<|tool_call|>[${json(call)}]` },
  { format: 'granite', place: 'anywhere', render: (call) => `<|tool_call|>[${json(call)}]<|/tool_call|>` },
  { format: 'granite-tag', place: 'anywhere', render: (call) => `<function_call> ${json(call)}` },
  {
    format: 'llama3',
    place: 'anywhere',
    render: (call) => `<|python_tag|>${parametersJson(call)}<|eom_id|>`,
  },
  {
    format: 'llama4',
    place: 'anywhere',
    render: (call) => `<|python_start|>[${pythonCall(call)}]<|python_end|>`,
  },
  {
    format: 'lfm2',
    place: 'anywhere',
    render: (call) => `<|tool_call_start|>[${pythonCall(call)}]<|tool_call_end|>`,
  },
  {
    format: 'olmo3',
    place: 'anywhere',
    render: (call) => `<function_calls>${pythonCall(call)}</function_calls>`,
  },
  {
    format: 'command-r',
    place: 'anywhere',
    render: ({ name, arguments: args }) =>
      `<|START_ACTION|>[\n${JSON.stringify({ tool_call_id: '0', tool_name: name, parameters: args })}\n]<|END_ACTION|>`,
  },
  {
    format: 'internlm',
    place: 'anywhere',
    render: (call) => `<|action_start|><|plugin|>\n${parametersJson(call)}<|action_end|>`,
  },
  { format: 'gigachat', place: 'anywhere', render: (call) => `<|function_call|>${json(call)}` },
  {
    format: 'apertus',
    place: 'anywhere',
    render: (call) => `<|tools_prefix|>[${JSON.stringify({ [call.name]: call.arguments })}]<|tools_suffix|>`,
  },
  { format: 'mistral', place: 'anywhere', render: (call) => `[TOOL_CALLS] [${json(call)}]` },
  {
    format: 'mistral',
    place: 'anywhere',
    render: (call) => `[TOOL_CALLS]${call.name}[ARGS]${JSON.stringify(call.arguments)}`,
  },
  {
    format: 'mistral',
    place: 'anywhere',
    render: (call) => `[TOOL_CALLS]${call.name}${JSON.stringify(call.arguments)}`,
  },
  {
    format: 'mistral',
    place: 'line',
    render: (call) => `${call.name}[ARGS]${JSON.stringify(call.arguments)}`,
  },
  {
    format: 'kimi-k2',
    place: 'anywhere',
    render: (call) =>
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.${call.name}:0<|tool_call_argument_begin|>${JSON.stringify(call.arguments)}<|tool_call_end|><|tool_calls_section_end|>`,
  },
  {
    format: 'kimi-k3',
    place: 'anywhere',
    canHold: (text) => !text.includes('<|'),
    render: (call) =>
      `<|open|>call tool="${call.name}" index="1"<|sep|>${entries(call)
        .map(
          ([key, value]) =>
            `<|open|>argument key="${key}" type="x"<|sep|>${raw(value)}<|close|>argument<|sep|>`,
        )
        .join('')}<|close|>call<|sep|>`,
  },
  {
    format: 'deepseek',
    place: 'anywhere',
    render: (call) =>
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${JSON.stringify(call.arguments)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  },
  {
    format: 'deepseek',
    place: 'anywhere',
    render: (call) =>
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${JSON.stringify(call.arguments)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  },
  {
    format: 'harmony',
    place: 'anywhere',
    render: (call) =>
      `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${JSON.stringify(call.arguments)}<|call|>`,
  },
  {
    format: 'harmony',
    place: 'line',
    render: (call) =>
      `assistant to=functions.${call.name}<|channel|>commentary json<|message|>${JSON.stringify(call.arguments)}<|call|>`,
  },
  {
    format: 'qwen3-coder',
    place: 'anywhere',
    canHold: withoutTags,
    render: (call) => `<tool_call>\n${parameters(call)}\n</tool_call>`,
  },
  { format: 'function-tag', place: 'anywhere', canHold: withoutTags, render: parameters },
  {
    format: 'function-tag',
    place: 'anywhere',
    render: (call) => `<function=${call.name}>${JSON.stringify(call.arguments)}</function>`,
  },
  { format: 'function-tag', place: 'anywhere', render: functionParams },
  {
    format: 'function-tag',
    place: 'anywhere',
    render: (call) => functionParams(call).replaceAll(/<(function|param) name=/g, '<$1name='),
    canHold: withoutTags,
  },
  {
    format: 'seed-oss',
    place: 'anywhere',
    canHold: withoutTags,
    render: (call) => `<seed:tool_call>\n${parameters(call)}\n</seed:tool_call>`,
  },
  {
    format: 'minimax',
    place: 'anywhere',
    canHold: withoutTags,
    render: (call) => `<minimax:tool_call>\n${invoke(call)}\n</minimax:tool_call>`,
  },
  {
    format: 'anthropic-xml',
    place: 'anywhere',
    canHold: withoutTags,
    render: (call) => `<function_calls>\n${invoke(call)}\n</function_calls>`,
  },
  {
    format: 'deepseek-dsml',
    place: 'anywhere',
    canHold: withoutTags,
    render: (call) => `<｜DSML｜function_calls>\n${dsml(call)}\n</｜DSML｜function_calls>`,
  },
  {
    format: 'step3',
    place: 'anywhere',
    canHold: withoutTags,
    render: (call) =>
      `<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>${invoke(call).replaceAll(/(<\/?)(invoke|parameter)/g, '$1steptml:$2')}<｜tool_call_end｜>\n<｜tool_calls_end｜>`,
  },
  {
    format: 'glm',
    place: 'anywhere',
    canHold: withoutTags,
    render: (call) => `<tool_call>${pairs(call)}</tool_call>`,
  },
  {
    format: 'longcat',
    place: 'anywhere',
    canHold: withoutTags,
    render: (call) => `<longcat_tool_call>${pairs(call, 'longcat_')}</longcat_tool_call>`,
  },
  {
    format: 'functiongemma',
    place: 'anywhere',
    canHold: (text) => !text.includes('<escape>'),
    render: (call) =>
      `<start_function_call>call:${call.name}${gemmaMap(call.arguments, '<escape>')}<end_function_call>`,
  },
  {
    format: 'gemma-bare',
    place: 'line',
    canHold: (text) => !text.includes('<escape>'),
    render: (call) => `call:${call.name}${gemmaMap(call.arguments, '<escape>')}`,
  },
  {
    format: 'gemma4',
    place: 'anywhere',
    canHold: (text) => !text.includes('<|"|>'),
    render: (call) => `<|tool_call>call:${call.name}${gemmaMap(call.arguments, '<|"|>')}<tool_call|>`,
  },
  {
    format: 'gemma4',
    place: 'anywhere',
    canHold: (text) => !text.includes('<|"|>'),
    render: (call) => `<|tool_call>:call:${call.name}${gemmaMap(call.arguments, '<|"|>')}<turn|>`,
  },
  {
    format: 'tool-named-xml',
    place: 'anywhere',
    render: (call) =>
      `<${call.name}>\n${entries(call)
        .map(([key, value]) => `<${key}>\n${elements(value)}\n</${key}>\n`)
        .join('')}</${call.name}>`,
  },
];
