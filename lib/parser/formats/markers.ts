import type { BodyKind } from '../reading.ts';

/** One row of the marker table: the tokens that open and close a call, as normalized by `readTag`. */
export interface Marker {
  format: string;
  open: readonly string[];
  close: readonly string[];
  /** Format name when the token is written with full-width bars or blocks. */
  wideFormat?: string;
  /** Format names for particular bodies after this marker. */
  bodies?: Partial<Record<BodyKind, string>>;
  /** Values start directly after their tags, so line breaks around them belong to the values. */
  inlineValues?: true;
  /** A call after this marker ends unclosed thinking, as it does in the model family's own parsers. */
  endsThought?: true;
  /** Finds the next opener or closer of this row. */
  boundary: RegExp;
}

type Row = Omit<Marker, 'boundary'>;

const ROWS: readonly Row[] = [
  {
    format: 'hermes',
    open: ['tool_call', 'toolcall', 'tool-call'],
    close: ['/tool_call', '/toolcall', '/tool-call'],
    // Qwen 3 and GLM 4.5.
    endsThought: true,
    bodies: {
      parameters: 'qwen3-coder',
      pairs: 'glm',
      'named-json': 'laguna',
      name: 'glm',
      python: 'hermes-python',
    },
  },
  {
    format: 'jamba',
    open: ['tool_calls', 'toolcalls'],
    close: ['/tool_calls', '/toolcalls'],
    bodies: { parameters: 'hunyuan', pairs: 'hunyuan' },
  },
  {
    format: 'granite-tag',
    open: ['function_call', 'functioncall'],
    close: ['/function_call', '/functioncall'],
  },
  {
    format: 'olmo3',
    open: ['function_calls'],
    close: ['/function_calls'],
    bodies: { parameters: 'anthropic-xml', json: 'granite-tag' },
  },
  {
    format: 'granite',
    wideFormat: 'deepseek',
    open: ['|tool_call|', '|tool_calls|'],
    close: ['|/tool_call|', '|/tool_calls|', '/|tool_call|', '|end_tool_call|'],
  },
  { format: 'minimax', open: ['minimax:tool_call'], close: ['/minimax:tool_call'] },
  { format: 'seed-oss', open: ['seed:tool_call'], close: ['/seed:tool_call'], inlineValues: true },
  {
    format: 'deepseek-dsml',
    open: ['|dsml|function_calls', '|dsml|tool_calls'],
    close: ['/|dsml|function_calls', '/|dsml|tool_calls'],
    endsThought: true,
  },
  { format: 'lfm2', open: ['|tool_call_start|'], close: ['|tool_call_end|'] },
  { format: 'gemma4', open: ['|tool_call'], close: ['tool_call|', '|tool_call|'], endsThought: true },
  { format: 'functiongemma', open: ['start_function_call'], close: ['end_function_call'] },
  { format: 'llama3', open: ['|python_tag|'], close: [] },
  { format: 'llama4', open: ['|python_start|'], close: ['|python_end|'] },
  { format: 'command-r', open: ['|start_action|'], close: ['|end_action|'] },
  { format: 'internlm', open: ['|action_start|'], close: ['|action_end|'] },
  {
    format: 'kimi-k2',
    open: ['|tool_call_begin|'],
    close: ['|tool_call_end|'],
    wideFormat: 'deepseek',
    bodies: { parameters: 'step3' },
    endsThought: true,
  },
  {
    format: 'tool-section',
    wideFormat: 'deepseek',
    open: ['|tool_calls_begin|', '|tool_calls_section_begin|', '|tool_call_section_begin|'],
    close: ['|tool_calls_end|', '|tool_calls_section_end|', '|tool_call_section_end|'],
    endsThought: true,
  },
  // The separator whose opener was lost.
  { format: 'deepseek', open: ['|tool_sep|'], close: ['|tool_call_end|', '|tool_calls_end|'] },
  {
    format: 'tool-code',
    open: ['tool_code', 'tool_use', 'use_tool'],
    close: ['/tool_code', '/tool_use', '/use_tool'],
  },
  { format: 'apertus', open: ['|tools_prefix|'], close: ['|tools_suffix|'] },
  {
    format: 'gigachat',
    open: ['|function_call|'],
    close: ['|/function_call|', '|function_call_end|'],
  },
  {
    format: 'longcat',
    open: ['longcat_tool_call'],
    close: ['/longcat_tool_call'],
    bodies: { pairs: 'longcat' },
  },
  { format: 'inkling', open: ['|content_invoke_tool_json|'], close: ['|end_message|'] },
  { format: 'mistral', open: ['[tool_calls]', '[tool_call]'], close: ['[/tool_calls]', '[/tool_call]'] },
];

export const MARKERS: readonly Marker[] = ROWS.map((row) => ({ ...row, boundary: boundaryOf(row) }));

/** Finds an opener whose calls end unclosed thinking. */
export const THOUGHT_ENDER = new RegExp(
  ROWS.filter((row) => row.endsThought)
    .flatMap((row) => row.open.map(spellings))
    .join('|'),
  'gi',
);

/** Matches each token in every spelling that `readTag` normalizes to it. */
function boundaryOf({ open, close }: Row): RegExp {
  return new RegExp([...open, ...close].map(spellings).join('|'), 'gi');
}

function spellings(token: string): string {
  if (token.startsWith('[')) return token.replace(/[[\]/]/g, '\\$&');
  const plain = /^\/?\w+$/.test(token);
  return (plain ? token.replace(/^\/?/, '<$&(?:[a-z][\\w-]{0,31}:)?') : `<${token}`)
    .concat(plain ? '(?::[a-z]\\w{0,31})?>' : '>')
    .replaceAll('/', '\\/')
    .replaceAll('|', '[|｜]')
    .replaceAll('_', token.includes('|') ? '(?:\\\\?_|▁| )' : '_');
}
