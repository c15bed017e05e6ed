import { bareJson } from './bare-json.ts';
import type { Format } from './format.ts';
import { functionElement } from './function-element.ts';
import { marked } from './marked.ts';
import { pythonic } from './pythonic.ts';

/** Every format, in the order in which they are asked at a place where several may begin. */
export const FORMATS: readonly Format[] = [marked, functionElement, pythonic, bareJson];
