const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Puts a text on one line that is safe to print in a terminal: line breaks, control characters and bidirectional
 * overrides become JSON escapes. JSON without indentation keeps its meaning.
 */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (found) => SHORT[found] ?? found.split('').map(escapeUnit).join(''));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
