import type { Nodes } from 'hast';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { Language } from './language.ts';
import { MAX_HIGHLIGHTED_CHARS, MAX_HIGHLIGHTED_LINE_CHARS } from './limits.ts';

const grammars = {
  ...{
    bash,
    c,
    cpp,
    csharp,
    css,
    diff,
    dockerfile,
    go,
    ini,
    java,
    javascript,
    json,
    kotlin,
    lua,
    makefile,
    markdown,
  },
  ...{ php, python, ruby, rust, sql, swift, typescript, xml, yaml },
} satisfies Record<Language, unknown>;
const lowlight = createLowlight(grammars);

/** The kind of a piece of code; `undefined` for plain code. */
export type CodeRole = 'keyword' | 'string' | 'number' | 'comment' | 'name' | 'type' | 'added' | 'removed';
export interface CodePiece {
  readonly text: string;
  readonly role: CodeRole | undefined;
}

/** Few colors: maps the classes of highlight.js to the kinds that a reader looks for. */
const ROLES: Readonly<Record<string, CodeRole>> = {
  ...{
    keyword: 'keyword',
    operator: 'keyword',
    built_in: 'keyword',
    'selector-tag': 'keyword',
    name: 'keyword',
  },
  ...{ string: 'string', regexp: 'string', char: 'string', link: 'string', code: 'string', symbol: 'string' },
  ...{
    number: 'number',
    literal: 'number',
    bullet: 'number',
    variable: 'number',
    'template-variable': 'number',
  },
  ...{ comment: 'comment', quote: 'comment', doctag: 'comment', meta: 'comment' },
  ...{ title: 'name', section: 'name', attr: 'name', attribute: 'name', property: 'name' },
  ...{ 'selector-class': 'name', 'selector-id': 'name', type: 'type', class: 'type' },
  ...{ addition: 'added', deletion: 'removed' },
};

/**
 * Code in its lines, each split by what its parts are. All of its text is kept.
 *
 * @returns `undefined` for code that is too long, has lines that are, or cannot be read
 */
export function highlightLines(
  code: string,
  language: Language,
): readonly (readonly CodePiece[])[] | undefined {
  if (code.length > MAX_HIGHLIGHTED_CHARS) return undefined;
  if (code.split('\n').some((line) => line.length > MAX_HIGHLIGHTED_LINE_CHARS)) return undefined;
  let root: Nodes;
  try {
    root = lowlight.highlight(language, code);
  } catch (error) {
    // highlight.js recurses, and hostile code nests more deeply than the stack of some browsers is.
    console.info('This code is shown without colors:', error);
    return undefined;
  }
  const lines: CodePiece[][] = [[]];
  const add = (text: string, role: CodeRole | undefined) => {
    text.split('\n').forEach((part, index) => {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ text: part, role });
    });
  };
  // Hostile code nests more deeply than the stack allows.
  const left: { node: Nodes; role: CodeRole | undefined }[] = [{ node: root, role: undefined }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { node, role } = next;
    if (node.type === 'text') add(node.value, role);
    if (!('children' in node)) continue;
    const own = node.type === 'element' ? roleOf(node.properties.className) : undefined;
    for (const child of node.children.toReversed()) left.push({ node: child, role: own ?? role });
  }
  return lines;
}

function roleOf(names: unknown): CodeRole | undefined {
  if (!Array.isArray(names)) return undefined;
  const [first] = names.map((name) => ROLES[String(name).replace(/^hljs-/, '')]).filter(Boolean);
  return first;
}
