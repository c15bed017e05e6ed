import type { BodyContext, BodyKind, BodyReading } from '../bodies/body.ts';
import { refusal } from '../bodies/json-body.ts';
import { readBody } from '../bodies/read-body.ts';
import { skipSpace } from '../source.ts';
import { readBracketToken, readTag } from '../tags.ts';
import type { Format, FormatContext, FormatReading, Opener } from './format.ts';
import { MARKERS, type Marker } from './markers.ts';

const BY_OPENER = new Map<string, Marker>(
  MARKERS.flatMap((marker) => marker.open.map((token) => [token, marker])),
);
const CLOSERS = new Set(MARKERS.flatMap((marker) => marker.close));
const PREFIX = /^(\/?)(?:\|dsml\||[a-z][\w-]{0,31}:)/;
const THINK_CLOSER = new Set(['/think', '/thinking', '/reasoning']);

/** Calls that an explicit marker announces: one table of markers over the few bodies. */
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
    if (opensAnother(text, next)) return { kind: 'control', end, hidden: 'with-calls' };
    const bodyContext = strongContext(context, marker);
    const body = readBody(bodyContext, end);
    if (body === undefined) return emptyMarker(context, marker, { opener, end });
    const format = nameOf(marker, body.kind, text.slice(opener.at, end));
    const bodyEnd = endOf(context, marker, body);
    const closer = body.kind === 'json' ? proseBeforeCloser(context, marker, bodyEnd) : undefined;
    if (closer !== undefined) {
      const verdicts = [refusal('malformed', 'Prose follows the call inside its marker.')];
      return { kind: 'calls', format, verdicts, end: closer };
    }
    return { kind: 'calls', format, verdicts: body.verdicts, end: bodyEnd };
  },
};

function markerAt({ tag, bracket }: Opener): { marker: Marker; end: number } | undefined {
  if (tag) {
    const marker = BY_OPENER.get(tag.token) ?? BY_OPENER.get(tag.token.replace(PREFIX, '$1'));
    return marker && { marker, end: tag.end };
  }
  const marker = bracket && BY_OPENER.get(bracket.token);
  return bracket && marker && { marker, end: bracket.end };
}

/** A closing token without its opener, and tokens around several calls: no text for a reader where there are calls. */
function strayCloser({ tag, bracket }: Opener): FormatReading | undefined {
  const token = tag?.token ?? bracket?.token;
  const end = tag?.end ?? bracket?.end;
  if (token === undefined || end === undefined || !isCloser(token)) return undefined;
  return { kind: 'control', end, hidden: 'with-calls' };
}

function isCloser(token: string): boolean {
  return CLOSERS.has(token) || CLOSERS.has(token.replace(PREFIX, '$1'));
}

/** Whether another marker stands there, so that the first one only announces a section of calls. */
function opensAnother(text: string, at: number): boolean {
  const tag = readTag(text, at);
  return tag !== undefined && markerAt({ at, tag }) !== undefined;
}

function strongContext(context: FormatContext, marker: Marker): BodyContext {
  const { source } = context;
  const boundary = (from: number) => {
    const found = source.find(marker.boundary, from);
    return found && { at: found.at, closes: !markerAt(openerAt(source.text, found.at)) };
  };
  return { ...context, strength: 'strong', boundary };
}

function nameOf(marker: Marker, kind: BodyKind, written: string): string {
  if (marker.wideFormat !== undefined && /[｜▁]/.test(written))
    return marker.bodies?.[kind] ?? marker.wideFormat;
  return marker.bodies?.[kind] ?? marker.format;
}

/** Offset behind the closing marker; behind the body when it is missing. A broken body ends at its closer too. */
function endOf(context: FormatContext, marker: Marker, body: BodyReading): number {
  const { source } = context;
  const last = body.verdicts[body.verdicts.length - 1];
  if (last && !('call' in last)) {
    const boundary = source.find(marker.boundary, body.end);
    const closes = boundary && !markerAt(openerAt(source.text, boundary.at));
    return closes ? boundary.end : body.end;
  }
  let end = body.end;
  for (let tokens = 0; tokens < 3; tokens++) {
    const next = skipFence(source.text, skipSpace(source.text, end));
    const opener = openerAt(source.text, next);
    const token = opener.tag?.token ?? opener.bracket?.token ?? '';
    const behind = opener.tag?.end ?? opener.bracket?.end ?? next;
    if (!isCloser(token) && !THINK_CLOSER.has(token)) return end;
    end = behind;
    if (marker.close.includes(token.replace(PREFIX, '$1'))) return end;
  }
  return end;
}

/**
 * Offset behind the closer when words stand between a body and its closer: a text about calls rather than a call. A
 * closer that is missing altogether is no such sign.
 */
function proseBeforeCloser({ source }: FormatContext, marker: Marker, end: number): number | undefined {
  const boundary = source.find(marker.boundary, end);
  if (!boundary || boundary.at === end || markerAt(openerAt(source.text, boundary.at))) return undefined;
  const between = source.text.slice(end, Math.min(boundary.at, end + 200));
  return /^[^<]*\p{L}{2}/u.test(between) ? boundary.end : undefined;
}

function skipFence(text: string, at: number): number {
  return text.startsWith('```', at) ? skipSpace(text, at + 3) : at;
}

function openerAt(text: string, at: number): Opener {
  return { at, tag: readTag(text, at), bracket: readBracketToken(text, at) };
}

/** A marker with nothing like a call behind it. Only where it clearly stood for one is that a broken call. */
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
  if (!startsLine || !boundary || markerAt(openerAt(source.text, boundary.at))) return undefined;
  const verdicts = [refusal('malformed', 'The marked text is not a call.')];
  return { kind: 'calls', format: marker.format, end: boundary.end, verdicts };
}
