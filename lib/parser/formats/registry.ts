import { bareArgs } from './bare-args.ts';
import { bareFunction } from './bare-function.ts';
import { bareJson } from './bare-json.ts';
import { bareMap } from './bare-map.ts';
import { fenced } from './fenced.ts';
import type { Format } from './format.ts';
import { functionElement } from './function-element.ts';
import { functools } from './functools.ts';
import { harmony } from './harmony.ts';
import { kimiK3 } from './kimi-k3.ts';
import { lonePython } from './lone-python.ts';
import { marked } from './marked.ts';
import { namedLine } from './named-line.ts';
import { pythonic } from './pythonic.ts';
import { react } from './react.ts';
import { recipient } from './recipient.ts';
import { toolNamedXml } from './tool-named-xml.ts';

/** Every format, in the order in which they are tried at an offset. */
export const FORMATS: readonly Format[] = [
  marked,
  functionElement,
  harmony,
  kimiK3,
  recipient,
  functools,
  toolNamedXml,
  namedLine,
  react,
  lonePython,
  bareFunction,
  bareMap,
  bareArgs,
  fenced,
  pythonic,
  bareJson,
];
