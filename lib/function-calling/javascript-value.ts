import { readNumber } from './java-value.ts';
import { Float, type PythonValue } from './python-value.ts';

const NESTED_ARRAY =
  /^(?:\[\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\]|\bnew\s+Array\(\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\))/;
const ARRAY = /^(?:\[(.*?)\]|\bnew\s+Array\((.*?)\))/;
const PAIR = /([^:]+):\s*(.*?)(?:,\s*(?=[^,]+:)|$)/g;

/**
 * Parses a JavaScript expression to its value. An expression of another type stays a string, and is then judged as a
 * variable.
 *
 * @param elements the type of an array's elements
 * @see `bfcl_eval/eval_checker/ast_eval/type_convertor/js_type_converter.py` in the Python package `bfcl-eval` 2026.3.23
 */
export function readJavascriptValue(text: string, type: string, elements?: string): PythonValue {
  switch (type) {
    case 'String':
      return isQuoted(text) ? text.slice(1, -1) : text;
    case 'integer':
      return /^-?\d+$/.test(text) ? Number(text) : text;
    case 'float':
      return /^-?\d+(\.\d+)?$/.test(text) ? new Float(Number(text)) : text;
    case 'Bigint':
      return /^-?\d+n$/.test(text) ? Number(text.slice(0, -1)) : text;
    case 'Boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'dict':
      return readDict(text.trim());
    case 'array':
      return readArray(text.trim(), elements);
    default:
      return text;
  }
}

function readArray(code: string, elements?: string): PythonValue {
  const nested = NESTED_ARRAY.exec(code)?.[0];
  if (nested !== undefined) {
    return [...nested.matchAll(/\[(.*?)\]/g)].map(([, inner = ''], index) => {
      const entries = inner.trim();
      const own = index === 0 && entries.startsWith('[') ? entries.slice(1) : entries;
      return own.split(',').map((entry) => readUntyped(entry.trim()));
    });
  }
  const flat = ARRAY.exec(code);
  if (!flat) return code;
  const inner = (flat[1] ?? flat[2] ?? '').trim();
  const entries = inner === '' ? [] : inner.split(',').map((entry) => entry.trim());
  return entries.map((entry) =>
    elements === undefined ? readUntyped(entry) : readJavascriptValue(entry, elements),
  );
}

function readDict(code: string): PythonValue {
  if (code === '{}') return {};
  const content = /^\{(.*?)\}/.exec(code)?.[1];
  if (content === undefined) return code;
  return Object.fromEntries(
    [...content.matchAll(PAIR)].map(([, key = '', value = '']) => [
      unquoted(key.trim()),
      readEntry(value.trim()),
    ]),
  );
}

function readEntry(text: string): PythonValue {
  if (text.startsWith('[') && text.endsWith(']')) return readArray(text);
  if (text.startsWith('{') && text.endsWith('}')) return readDict(text);
  return readUntyped(unquoted(text));
}

function readUntyped(code: string): PythonValue {
  const text = code.trim();
  if (text === 'true' || text === 'false') return text === 'true';
  return isQuoted(text) ? text.slice(1, -1) : readNumber(text);
}

function isQuoted(text: string): boolean {
  return (text.startsWith('"') && text.endsWith('"')) || (text.startsWith("'") && text.endsWith("'"));
}

function unquoted(text: string): string {
  return text.replaceAll(/^['"]+|['"]+$/g, '');
}
