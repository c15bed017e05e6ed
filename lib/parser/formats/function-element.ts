import { readFunctionTag, readParameterBody } from '../bodies/element-body.ts';
import type { Format } from './format.ts';

const BOUNDARY = /<\/?[^<>\s]{0,20}(?:function|invoke|tool_call|tool_use)[=\s>]/g;

/** `<function=f>…</function>` and `<invoke name="f">…</invoke>` without a surrounding tag (Llama 3.1, Qwen3-Coder). */
export const functionElement: Format = {
  name: 'function-tag',
  layer: 'xml',
  triggers: ['<'],
  read({ source, tools }, { at, tag }) {
    if (!tag) return undefined;
    const opener = readFunctionTag(source, at);
    if (opener === undefined || opener.name === '') return undefined;
    const boundary = (from: number) => {
      const found = source.find(BOUNDARY, from);
      return found && { at: found.at, closes: source.text[found.at + 1] === '/' };
    };
    const body = readParameterBody({ source, tools, strength: 'strong', boundary }, at);
    return body && { kind: 'calls', end: body.end, verdicts: body.verdicts };
  },
};
