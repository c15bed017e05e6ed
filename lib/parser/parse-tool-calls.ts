import { formatCount } from '../util/numbers.ts';
import { textStart } from '../util/short-text.ts';
import { coerceArguments } from './coerce.ts';
import { PARSER_LAYERS, type ParserLayer, TEXT_LAYERS, type TextLayer } from './layers.ts';
import { MAX_CALLS, MAX_EXCERPT_CHARS, MAX_REFUSALS, MAX_TEXT_CHARS } from './limits.ts';
import { readNative } from './native.ts';
import type { CallDraft, RefusalDraft } from './reading.ts';
import { type Scan, type ScanOptions, scan, type Thought } from './scan.ts';
import { indexOf, type ToolIndex } from './tool-index.ts';
import type {
  CallOrigin,
  LayerAttempt,
  ParseDetails,
  ParsedReply,
  ParseOptions,
  Refusal,
  ReplyMessage,
  TextSpan,
  ToolCall,
} from './types.ts';
import { visibleText } from './visible-text.ts';

const NO_TOOLS: NonNullable<ParseOptions['tools']> = [];

/** Refusals of text that was meant as a call but could not be read (P15). The others are not calls at all. */
const BROKEN: ReadonlySet<Refusal['reason']> = new Set([
  'malformed',
  'cut',
  'unsafe-key',
  'too-deep',
  'too-large',
]);

interface FoundCall {
  draft: CallDraft;
  origin: CallOrigin;
}

/**
 * Reads one reply message of Ollama: tool calls, an answer, or nothing (P1).
 *
 * Native calls win; otherwise the content is searched for JSON and marked calls (P2). Pure, never throws for any message,
 * and takes time proportional to its length.
 *
 * @param message the `message` of an `/api/chat` reply; anything else counts as an empty one (P14)
 * @returns one of the three outcomes, with the details for the dashboard
 */
export function parseToolCalls(message: unknown, options: ParseOptions = {}): ParsedReply {
  const reply: ReplyMessage = typeof message === 'object' && message !== null ? message : {};
  const tools = indexOf(options.tools ?? NO_TOOLS);
  const layers = new Set(options.layers ?? PARSER_LAYERS);
  const content = typeof reply.content === 'string' ? reply.content : '';

  const native = layers.has('native') ? readNative(reply.tool_calls, tools) : { calls: [], refusals: [] };
  const hasNative = native.calls.length > 0;
  const tooLarge = content.length > MAX_TEXT_CHARS;
  const textLayers = hasNative || tooLarge ? [] : TEXT_LAYERS.filter((layer) => layers.has(layer));
  const scanned = scan(content, { tools, layers: new Set(textLayers) });

  const found: FoundCall[] = hasNative
    ? native.calls.map((draft) => ({ draft, origin: { layer: 'native', format: 'native' } }))
    : scanned.calls.map(({ draft, layer, format, start, end }) => ({
        draft,
        origin: { layer, format, span: { in: 'content', start, end } },
      }));
  const surplus = found[MAX_CALLS];
  const refusals = [
    ...(surplus ? [tooManyCalls(found.length, surplus, { content, tools })] : []),
    ...native.refusals.map(({ draft, raw }) => toRefusal(draft, { raw, tools })),
    ...scanned.refusals.slice(0, MAX_REFUSALS).map(({ draft, start, end }) => {
      return toRefusal(draft, { raw: content.slice(start, end), tools, span: { in: 'content', start, end } });
    }),
    ...(found.length > 0
      ? []
      : callsInThoughts(reply, scanned.thoughts, { tools, layers: new Set(textLayers) })),
  ];
  if (tooLarge) refusals.push(toRefusal(tooLargeDraft(content.length), { raw: content, tools }));

  return outcome({
    ...fitToTools(found.slice(0, MAX_CALLS), tools),
    refusals: refusals.slice(0, MAX_REFUSALS),
    attempts: attemptsOf({ layers, native: native.calls.length, scanned, textLayers }),
    visibleText: visibleText(content, scanned.pieces, !hasNative && found.length > 0),
    thinking: joinThoughts(reply.thinking, scanned.thoughts),
  });
}

/** Every call contains one of these. A hostile text can contain thousands of thoughts without them. */
const MAY_HOLD_CALLS = /[{(<[\n]/;

/** Calls inside thinking do not count (P4), but the timeline reports them: they explain an empty reply. */
function callsInThoughts(reply: ReplyMessage, blocks: readonly Thought[], options: ScanOptions): Refusal[] {
  const field = typeof reply.thinking === 'string' ? reply.thinking.slice(0, MAX_TEXT_CHARS) : '';
  const thoughts = [
    ...blocks.map(({ text, start }) => ({ text, start, where: 'content' as const })),
    { text: field, start: 0, where: 'thinking' as const },
  ];
  return thoughts
    .filter(({ text }) => MAY_HOLD_CALLS.test(text))
    .flatMap(({ text, start: offset, where }) =>
      scan(text, options)
        .calls.slice(0, MAX_REFUSALS)
        .map(({ draft: { name }, start, end }) => {
          const message = `A call of ${name} inside the model's thoughts is not carried out.`;
          const span: TextSpan = { in: where, start: offset + start, end: offset + end };
          return toRefusal(
            { reason: 'inside-thinking', name, message },
            { raw: text.slice(start, end), tools: options.tools, span },
          );
        }),
    );
}

type Fitted = Pick<ParseDetails, 'origins' | 'coercions' | 'repairs'> & { calls: ToolCall[] };

/** Coerces the arguments of every call, whichever layer it came from (P11). */
function fitToTools(found: readonly FoundCall[], tools: ToolIndex): Fitted {
  const fitted: Fitted = { calls: [], origins: [], coercions: [], repairs: [] };
  for (const [call, { draft, origin }] of found.entries()) {
    const { arguments: args, coercions } = coerceArguments(draft.arguments, tools.schema(draft.name), {
      untyped: draft.untyped,
    });
    fitted.calls.push({ name: draft.name, arguments: args });
    fitted.origins.push(origin);
    for (const coercion of coercions) fitted.coercions.push({ call, ...coercion });
    for (const repair of draft.repairs) fitted.repairs.push({ call, ...repair });
  }
  return fitted;
}

function outcome({
  calls,
  ...rest
}: Omit<ParseDetails, 'layer' | 'format' | 'malformed'> & { calls: ToolCall[] }): ParsedReply {
  const layer =
    PARSER_LAYERS.find((candidate) => rest.origins.some((origin) => origin.layer === candidate)) ?? 'none';
  const details: ParseDetails = { ...rest, layer, format: rest.origins[0]?.format };
  if (calls.length > 0) return { type: 'tool_calls', calls, ...details };
  if (rest.refusals.some((refusal) => BROKEN.has(refusal.reason))) details.malformed = true;
  if (rest.visibleText === '') return { type: 'empty', content: '', ...details };
  return { type: 'final_answer', content: rest.visibleText, ...details };
}

function toRefusal(
  draft: RefusalDraft,
  { raw, tools, span }: { raw: string; tools: ToolIndex; span?: TextSpan },
): Refusal {
  const refusal: Refusal = { ...draft, raw: textStart(raw, MAX_EXCERPT_CHARS), span };
  if (draft.reason === 'name-not-offered' && draft.name !== undefined)
    refusal.nearest = tools.nearest(draft.name);
  return refusal;
}

function tooLargeDraft(length: number): RefusalDraft {
  return {
    reason: 'too-large',
    message: `The reply has ${formatCount(length)} characters; calls are read in at most ${formatCount(MAX_TEXT_CHARS)}.`,
  };
}

/** Why the calls beyond the limit are left out, with the first of them. */
function tooManyCalls(
  count: number,
  { draft: { name }, origin: { span } }: FoundCall,
  { content, tools }: { content: string; tools: ToolIndex },
): Refusal {
  const message = `The reply has ${formatCount(count)} calls; only the first ${MAX_CALLS} are read.`;
  const raw = span ? content.slice(span.start, span.end) : name;
  return toRefusal({ reason: 'too-large', name, message }, { raw, tools, ...(span && { span }) });
}

/** The parse ladder: each active layer in order, followed by the formats recognized in it. */
function attemptsOf({
  layers,
  native,
  scanned,
  textLayers,
}: {
  layers: ReadonlySet<ParserLayer>;
  native: number;
  scanned: Scan;
  textLayers: readonly TextLayer[];
}): LayerAttempt[] {
  const attempts: LayerAttempt[] = layers.has('native') ? [{ layer: 'native', found: native }] : [];
  for (const layer of textLayers) {
    const formats = [...scanned.tried].filter(([, tried]) => tried.layer === layer);
    attempts.push({ layer, found: formats.reduce((sum, [, tried]) => sum + tried.found, 0) });
    for (const [format, tried] of formats) attempts.push({ layer, format, found: tried.found });
  }
  return attempts;
}

function joinThoughts(field: unknown, blocks: readonly Thought[]): string {
  const fromField = typeof field === 'string' ? [field] : [];
  return [...blocks.map((block) => block.text), ...fromField]
    .map((thought) => thought.trim())
    .filter((thought) => thought !== '')
    .join('\n\n');
}
