import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createRunRequest } from '../api/create-run.ts';
import { mcpServer } from '../api/mcp.ts';
import { RUN_FILTER_PARAMETERS } from '../api/run-filter.ts';
import { RUN_ORDER_PARAMETERS } from '../api/run-order.ts';
import { LoupeExperiments } from '../client/experiments.ts';
import { Loupe, LoupeRun } from '../client/loupe.ts';
import { runConfig } from '../events/config.ts';
import { DEFAULT_MODE } from '../events/modes.ts';
import { progressEvent } from '../events/progress.ts';
import {
  defaultSettings,
  FORK_SETTINGS,
  ITERATION_LIMITS,
  modesWithSetting,
  NUMBER_SETTINGS,
  type NumberFacts,
  SETTING_NAMES,
} from '../events/settings.ts';
import { STATUS } from './http-error.ts';
import { EXPORT_PARAMETERS } from './requested-export.ts';

// Scripts are written from docs/api.md, so it must be complete.
const root = resolve(import.meta.dirname, '../..');
const documentation = readFileSync(join(root, 'docs/api.md'), 'utf8');

const api = join(root, 'app/api');
const routes = readdirSync(api, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name === 'route.ts')
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => !file.includes('[...path]'))
  .flatMap((file) => {
    const path = `/api/${relative(api, file).replace(/\/?route\.ts$/, '')}`;
    const methods = readFileSync(file, 'utf8').matchAll(
      /^export (?:async )?function (GET|POST|PUT|PATCH|DELETE)\b/gm,
    );
    return [...methods].map(([, method]) => `${method} ${path.replaceAll(/\[(\w*?)Id\]|\[(\w+)\]/g, '{}')}`);
  });

/** Endpoints in the documentation, such as `POST /api/runs/{id}/stop`, with parameter names removed. */
const documented = [
  ...documentation.matchAll(/(GET|POST|PUT|PATCH|DELETE) +(\/api[\w/{}-]*(?:\.\w+)?)/g),
].map(([, method, path = '']) => `${method} ${path.replaceAll(/\{\w*\}/g, '{}')}`);

it.each(routes)('docs/api.md documents %s', (route) => {
  expect(documented).toContain(route);
});

it('docs/api.md names every query parameter', () => {
  const files = readdirSync(api, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('route.ts'),
  );
  const missing = files.flatMap((file) => {
    const source = readFileSync(join(api, file), 'utf8');
    const lists = [...source.matchAll(/\b(?:query|lists): \[(.*?)\]/gs)].map(([, names = '']) => names);
    const own = [...lists.join().matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
    const shared = [
      ...(source.includes('RUN_FILTER_PARAMETERS')
        ? [...RUN_FILTER_PARAMETERS, ...RUN_ORDER_PARAMETERS]
        : []),
      ...(source.includes('EXPORT_PARAMETERS') ? Object.values(EXPORT_PARAMETERS).flat() : []),
    ];
    const segments = `/api/${file.replace(/\/?route\.ts$/, '')}`.replaceAll(/\[\w+\]/g, '{}');
    const sections = documentation
      .split(/^(?=#{2,3} )/m)
      .filter((text) => text.replaceAll(/\{\w*\}/g, '{}').includes(segments));
    return [...own, ...shared]
      .filter((name) => !sections.some((text) => new RegExp(`[?&]${name}\\b|\`${name}[\`=]`).test(text)))
      .map((name) => `${segments}: ${name}`);
  });
  expect(missing).toEqual([]);
});

it('docs/api.md documents no path that does not exist', () => {
  expect([...new Set(documented)].filter((route) => !routes.includes(route))).toEqual([]);
});

it('docs/api.md names every error code with its status', () => {
  const rows = [...documentation.matchAll(/^\| ([\d, ]+) \|(.+)\|$/gm)];
  const missing = Object.entries(STATUS).filter(
    ([code, status]) =>
      !rows.some(
        ([, statuses = '', codes = '']) => statuses.includes(String(status)) && codes.includes(`\`${code}\``),
      ),
  );
  expect(missing).toEqual([]);
});

it('docs/api.md names every field of a new run', () => {
  const fields = Object.keys(
    z.toJSONSchema(createRunRequest, { io: 'input', unrepresentable: 'any' }).properties ?? {},
  );
  const missing = fields.filter((field) => !documentation.includes(`\`${field}\``));
  expect(missing).toEqual([]);
});

it.each(mcpServer.options.map(({ shape }) => shape))(
  'docs/mcp.md names every field of the configuration of a server',
  (shape) => {
    const [, table = ''] = readFileSync(join(root, 'docs/mcp.md'), 'utf8').split(
      '| field | meaning | default |',
    );
    const named = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, fields = '']) => namesIn(fields));
    expect(Object.keys(shape).filter((field) => !named.includes(field))).toEqual([]);
  },
);

const newRun = documentation.slice(
  documentation.indexOf('### `POST /api/runs`'),
  documentation.indexOf('### `GET /api/runs?'),
);
const settingRows = [...newRun.matchAll(/^\| (`.+?) \| (.+) \| (.+?) \|$/gm)].map(
  ([, fields = '', meaning = '', usual = '']) => ({ names: namesIn(fields), meaning, usual }),
);
/** Defaults that depend on another setting, and their text in the document. */
const DEPENDENT: Readonly<Record<string, string>> = {
  max_iterations: 'by tier',
  context_limit: 'the window',
};

function namesIn(text: string): string[] {
  return [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
}

function defaultWords(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(defaultWords);
  if (typeof value === 'boolean') return [value ? 'true|on' : 'false|off'];
  return typeof value === 'number' || typeof value === 'string' ? [`${value}`] : [];
}

// The parser layers have no separate rows.
it.each(SETTING_NAMES.filter((name) => name !== 'parser_layers'))(
  'docs/api.md has the default and the range of %s in its table',
  (name) => {
    const row = settingRows.find(({ names }) => names.includes(name));
    const mode = modesWithSetting(name)?.[0] ?? DEFAULT_MODE;
    const defaults: Readonly<Record<string, unknown>> = {
      ...defaultSettings({ mode, agentic: true }),
      ...DEPENDENT,
    };
    for (const words of defaultWords(defaults[name])) expect(row?.usual).toMatch(new RegExp(words));
    const range = /^(\d+) to (\d+)/.exec(row?.meaning ?? '')?.slice(1);
    const numbers: Readonly<Record<string, NumberFacts>> = NUMBER_SETTINGS;
    const limits = numbers[name];
    expect(row).toBeDefined();
    if (range) expect(range.map(Number)).toEqual([limits?.min ?? limits?.above, limits?.max]);
  },
);

it('docs/api.md says which settings every mode and every fork accepts', () => {
  const [, shared = ''] = /Every mode accepts (.+?)\. The other fields/s.exec(newRun) ?? [];
  const [, fork = ''] = /^\| `settings` \| (`model`.+?) \|$/m.exec(documentation) ?? [];
  const named = namesIn(shared.replaceAll(/\(.*?\)/gs, ''));
  expect(named.toSorted()).toEqual(
    [...SETTING_NAMES.filter((name) => !modesWithSetting(name)), 'title', 'model'].toSorted(),
  );
  expect(namesIn(fork.replaceAll(/\(.*?\)/g, '')).toSorted()).toEqual(
    [...FORK_SETTINGS, 'model', 'model_options'].toSorted(),
  );
});

it('docs/api.md says how many iterations each tier has', () => {
  const row = settingRows.find(({ names }) => names[0] === 'tier');
  const limits = [...(row?.meaning.matchAll(/`(\w+)` \((\d+)/g) ?? [])].map(([, tier, limit]) => [
    tier,
    Number(limit),
  ]);
  expect(Object.fromEntries(limits)).toEqual(ITERATION_LIMITS);
});

const client = documentation.slice(documentation.indexOf('## The typed client'));
const methods = [
  { object: 'loupe', of: Loupe },
  { object: 'loupe.experiments', of: LoupeExperiments },
  { object: 'run', of: LoupeRun },
].flatMap(({ object, of: { prototype } }) =>
  Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([name, { value }]) => name !== 'constructor' && typeof value === 'function')
    .map(([name]) => `${object}.${name}(`),
);

it.each(methods)('docs/api.md documents %s…) of the typed client', (method) => {
  expect(client).toContain(`\`${method}`);
});

it('docs/api.md names the fields of a configuration that are no fields of a new run', () => {
  const section = documentation.slice(
    documentation.indexOf('### `GET /api/runs/{id}` →'),
    documentation.indexOf('### `PATCH /api/runs/{id}`'),
  );
  const requested = Object.keys(createRunRequest.shape);
  const missing = Object.keys(runConfig.shape).filter(
    (field) =>
      !requested.includes(field) &&
      !section.includes(`\`${field}\``) &&
      !documentation.includes(`config.${field}\``),
  );
  expect(missing).toEqual([]);
});

it('docs/api.md names every progress event with its fields', () => {
  const section = documentation.slice(documentation.indexOf('### Progress events'));
  const missing = progressEvent.options.flatMap(({ shape }) =>
    [shape.type.value, ...Object.keys(shape)].filter((name) => !new RegExp(`\`${name}\\??\``).test(section)),
  );
  expect(missing).toEqual([]);
});
