import { Float, type PythonValue } from './python-value.ts';

const INTEGER = /^-?\d+$/;
const LONG = /^-?\d+[lL]$/;
const FLOAT = /^-?\d+(\.\d+)?([eE][+-]?\d+)?[fF]$/;
const DOUBLE = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Parses a Java expression to its value. An expression of another type stays a string, and is then judged as a
 * variable.
 *
 * @param elements the type of a collection's elements
 * @see `bfcl_eval/eval_checker/ast_eval/type_convertor/java_type_converter.py` in the Python package `bfcl-eval` 2026.3.23
 */
export function readJavaValue(text: string, type: string, elements?: string): PythonValue {
  switch (type) {
    case 'byte':
    case 'short':
    case 'integer':
      return INTEGER.test(text) ? Number(text) : text;
    case 'float':
      return FLOAT.test(text) ? new Float(Number(text.slice(0, -1))) : text;
    case 'double':
      return DOUBLE.test(text) ? new Float(Number(text)) : text;
    case 'long':
      return LONG.test(text) ? Number(text.slice(0, -1)) : text;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'ArrayList':
      return readArrayList(text, elements);
    case 'Array':
      return readArray(text, elements);
    case 'HashMap':
      return readHashMap(text);
    default:
      return text;
  }
}

function readArrayList(text: string, elements: string | undefined): PythonValue {
  const listed = /new\s+ArrayList<\w*>\(Arrays\.asList\((.+?)\)\)/.exec(text)?.[1];
  if (listed !== undefined) return listed.split(',').map((entry) => readElement(entry.trim(), elements));
  const added = /new\s+ArrayList<\w*>\(\)\s*\{\{\s*(.+?)\s*\}\}/s.exec(text)?.[1];
  if (added !== undefined) {
    return [...added.matchAll(/add\((.+?)\)/g)].map(([, entry = '']) => readElement(entry.trim(), elements));
  }
  return /new\s+ArrayList<\w*>\(\)/.test(text) ? [] : text;
}

function readElement(text: string, type: string | undefined): PythonValue {
  if (type === 'char' || type === 'String') return text.slice(1, -1);
  return type === undefined ? readUntyped(text) : readJavaValue(text, type);
}

function readArray(text: string, elements: string | undefined): PythonValue {
  const inner = /new\s+\w+\[\]\s*\{(.*?)\}/.exec(text)?.[1];
  if (inner === undefined) return text;
  const entries = inner.split(',').flatMap((entry) => entry.trim() || []);
  return entries.map((entry) =>
    elements === undefined ? readUntyped(entry) : readJavaValue(entry, elements),
  );
}

function readHashMap(text: string): PythonValue {
  const inner = /new\s+HashMap<.*?>\s*\(\)\s*\{\s*\{?\s*(.*?)\s*\}?\s*\}/s.exec(text)?.[1];
  if (inner === undefined) return /new\s+HashMap<.*?>\s*\(\)/.test(text) ? {} : text;
  const puts = inner.matchAll(/put\("(.*?)",\s*(.*?)\)/g);
  return Object.fromEntries([...puts].map(([, key = '', value = '']) => [key, readUntyped(value.trim())]));
}

/** Reads a value whose type is not described. */
function readUntyped(text: string): PythonValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text.startsWith('"') && text.endsWith('"')) return text.slice(1, -1);
  if (LONG.test(text)) return Number(text.slice(0, -1));
  if (FLOAT.test(text)) return new Float(Number(text.slice(0, -1)));
  return readNumber(text);
}

/** Reads a number as Python's `int` and `float` do; other texts stay as they are. */
export function readNumber(text: string): PythonValue {
  const digits = text.trim().replaceAll(/(?<=\d)_(?=\d)/g, '');
  if (/^[+-]?\d+$/.test(digits)) return Number(digits);
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(digits) ? new Float(Number(digits)) : text;
}
