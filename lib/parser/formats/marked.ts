import { refusal } from '../call-shape.ts';
import type { BodyContext, BodyKind, BodyReading, SourceText } from '../reading.ts';
import { skipSpace } from '../space.ts';
import { readBracketToken, undecorated } from '../tags.ts';
import type { Format, FormatContext, FormatReading, Opener } from './format.ts';
import { MARKERS, type Marker } from './markers.ts';

const BY_OPENER = new Map<string, Marker>(
  MARKERS.flatMap((marker) => marker.open.map((token) => [token, marker])),
);
const CLOSERS = new Set(MARKERS.flatMap((marker) => marker.close));
const THINK_CLOSER = new Set(['/think', '/thinking', '/reasoning']);

/** Calls announced by an explicit marker: a table of markers over the few body notations. */
export const marked: Format = {
  name: 'marked',
  layer: 'xml',
  triggers: ['<', '['],
  read(context, opener) {
    const found = markerAt(opener);
    if (found === undefined) return strayCloser(opener);
    const { marker, end } = found;
    const { text } = context.source;
    const next = skipSpace(text, end);
    if (opensAnother(context.source, next)) return { kind: 'control', end, hidden: 'with-calls' };
    const bodyContext = strongContext(context, marker);
    const body = context.readBody(bodyContext, end);
    if (body === undefined) return emptyMarker(context, marker, { opener, end });
    const format = formatOf(marker, body.kind, text.slice(opener.at, end));
    const bodyEnd = endAfterCloser(context, marker, body);
    const closer = body.kind === 'json' ? proseBeforeCloser(context, marker, bodyEnd) : undefined;
    if (closer !== undefined) {
      const verdicts = [refusal('malformed', 'Prose follows the call inside its marker.')];
      return { kind: 'calls', format, verdicts, end: closer };
    }
    return { kind: 'calls', format, verdicts: body.verdicts, end: bodyEnd };
  },
};

function markerAt({
  tag,
  bracket,
}: Pick<Opener, 'tag' | 'bracket'>): { marker: Marker; end: number } | undefined {
  if (tag) {
    const marker = markerOf(tag.token);
    return marker && { marker, end: tag.end };
  }
  const marker = bracket && BY_OPENER.get(bracket.token);
  return bracket && marker && { marker, end: bracket.end };
}

function markerOf(token: string): Marker | undefined {
  const known = BY_OPENER.get(token);
  if (known) return known;
  for (const plain of undecorated(token)) {
    const marker = BY_OPENER.get(plain);
    if (marker) return marker;
  }
  return undefined;
}

/** A closing token without an opener, or a token around several calls: hidden when the reply has calls. */
function strayCloser({ tag, bracket }: Opener): FormatReading | undefined {
  const token = tag?.token ?? bracket?.token;
  const end = tag?.end ?? bracket?.end;
  if (token === undefined || end === undefined || !isCloser(token)) return undefined;
  return { kind: 'control', end, hidden: 'with-calls' };
}

function isCloser(token: string): boolean {
  return CLOSERS.has(token) || undecorated(token).some((plain) => CLOSERS.has(plain));
}

/** Whether another marker follows, so that the first one only opens a section of calls. */
function opensAnother(source: SourceText, at: number): boolean {
  const tag = source.tagAt(at);
  return tag !== undefined && markerOf(tag.token) !== undefined;
}

function strongContext({ source, tools }: FormatContext, marker: Marker): BodyContext {
  const boundary = (from: number) => {
    const found = source.find(marker.boundary, from);
    return found && { at: found.at, closes: !markerAt(openerAt(source, found.at)) };
  };
  return { source, tools, strength: 'strong', inlineValues: marker.inlineValues, boundary };
}

function formatOf(marker: Marker, kind: BodyKind, written: string): string {
  if (marker.wideFormat !== undefined && /[｜▁]/.test(written))
    return marker.bodies?.[kind] ?? marker.wideFormat;
  return marker.bodies?.[kind] ?? marker.format;
}

/** Offset after the closing marker, or after the body when it is missing. A broken body also ends at its closer. */
function endAfterCloser(context: FormatContext, marker: Marker, body: BodyReading): number {
  const { source } = context;
  const last = body.verdicts[body.verdicts.length - 1];
  if (last && !('call' in last)) {
    const boundary = source.find(marker.boundary, body.end);
    const closes = boundary && !markerAt(openerAt(source, boundary.at));
    return closes ? boundary.end : body.end;
  }
  let end = body.end;
  for (let tokens = 0; tokens < 3; tokens++) {
    const next = skipFence(source.text, skipSpace(source.text, end));
    const opener = openerAt(source, next);
    const token = opener.tag?.token ?? opener.bracket?.token ?? '';
    const after = opener.tag?.end ?? opener.bracket?.end ?? next;
    if (!isCloser(token) && !THINK_CLOSER.has(token)) return end;
    end = after;
    if ([token, ...undecorated(token)].some((plain) => marker.close.includes(plain))) return end;
  }
  return end;
}

/**
 * Offset after the closer when prose separates it from the body: such text is about calls rather than a call. A missing
 * closer proves nothing.
 */
function proseBeforeCloser({ source }: FormatContext, marker: Marker, end: number): number | undefined {
  const boundary = source.find(marker.boundary, end);
  if (!boundary || boundary.at === end || markerAt(openerAt(source, boundary.at))) return undefined;
  const between = source.text.slice(end, Math.min(boundary.at, end + 200));
  return /^[^<]*\p{L}{2}/u.test(between) ? boundary.end : undefined;
}

function skipFence(text: string, at: number): number {
  return text.startsWith('```', at) ? skipSpace(text, at + 3) : at;
}

function openerAt(source: SourceText, at: number): Pick<Opener, 'tag' | 'bracket'> {
  return { tag: source.tagAt(at), bracket: readBracketToken(source.text, at) };
}

/** A marker that no call follows. It is a broken call only where a call was clearly meant. */
function emptyMarker(
  context: FormatContext,
  marker: Marker,
  { opener, end }: { opener: Opener; end: number },
): FormatReading | undefined {
  const { source } = context;
  if (skipSpace(source.text, end) >= source.text.length) {
    return {
      kind: 'calls',
      format: marker.format,
      end,
      verdicts: [refusal('cut', 'The marked call is cut off.')],
    };
  }
  const startsLine = opener.at === 0 || source.text[opener.at - 1] === '\n';
  const boundary = source.find(marker.boundary, end);
  if (!startsLine || !boundary || markerAt(openerAt(source, boundary.at))) return undefined;
  const verdicts = [refusal('malformed', 'The marked text is not a call.')];
  return { kind: 'calls', format: marker.format, end: boundary.end, verdicts };
}
