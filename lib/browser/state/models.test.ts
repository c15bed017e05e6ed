import { describe, expect, it } from 'vitest';
import type { InstalledCheck } from '../../api/model-check.ts';
import type { InstalledModel } from '../../api/replies.ts';
import { canRun, isListed, notOfferedWords, preferredModel } from './models.ts';

const TOOLS = ['completion', 'tools'];

function model(name: string, facts: Partial<InstalledModel> = {}): InstalledModel {
  return { name, demo: false, capabilities: TOOLS, ...facts };
}

function checked(passed: number, facts: Partial<InstalledCheck> = {}): InstalledCheck {
  const axis = { passed, judged: 10, unknown: 0 };
  return {
    model: 'any',
    digest: 'sha256:1',
    probes_version: 1,
    started_at: 1,
    ended_at: 2,
    passed,
    failed: 10 - passed,
    unknown: 0,
    calls: 12,
    layers: { native: 12, json: 0, xml: 0 },
    axes: { calls: axis, choice: axis, results: axis, stops: axis },
    ...facts,
  };
}

describe('the preselected model', () => {
  const plain = model('a-plain', { capabilities: ['completion'] });
  const able = model('b-able');
  const good = model('c-good', { check: checked(8) });
  const best = model('d-best', { check: checked(9) });

  it('is the last one used, whatever the others support', () => {
    expect(preferredModel([best, plain], 'a-plain')).toBe('a-plain');
  });

  it('is the one with the best check if the last one is not installed any more', () => {
    expect(preferredModel([able, good, best], 'gone')).toBe('d-best');
    expect(preferredModel([able, good, best], undefined)).toBe('d-best');
  });

  it('is the first that lists tools if no check speaks for another', () => {
    const poor = model('e-poor', { capabilities: ['completion'], check: checked(4) });
    const silent = model('f-silent', { capabilities: ['completion'], check: checked(9, { calls: 0 }) });
    const old = model('g-old', { check: checked(10, { outdated: 'model' }) });
    expect(preferredModel([plain, poor, silent, old, able], undefined)).toBe('b-able');
  });

  it('is the first of the list if none lists tools, and a demo only without another', () => {
    const demo = model('loupe-demo', { demo: true });
    expect(preferredModel([demo, plain], undefined)).toBe('a-plain');
    expect(preferredModel([demo], undefined)).toBe('loupe-demo');
    expect(preferredModel([], undefined)).toBe('');
  });

  it('is never one that makes embeddings only or is refused', () => {
    const vectors = model('vectors', { capabilities: ['embedding'] });
    const afar = model('afar', { remote: { host: 'ollama.com', allowed: false } });
    expect(preferredModel([vectors, afar], 'vectors')).toBe('');
  });
});

describe('models that are not offered', () => {
  it('are recognized by family if the server lists no capabilities', () => {
    const silent = { capabilities: undefined };
    expect(canRun(model('old', { ...silent, family: 'nomic-bert' }))).toBe(false);
    expect(canRun(model('old', { ...silent, family: 'llama' }))).toBe(true);
    expect(canRun(model('old', silent))).toBe(true);
    // The server's report counts more than a name.
    expect(canRun(model('new', { family: 'bert' }))).toBe(true);
  });

  it('are named with the reason, three at most', () => {
    const vectors = (name: string) => model(name, { capabilities: ['embedding'] });
    const afar = model('afar', { remote: { host: 'ollama.com', allowed: false } });
    expect(notOfferedWords([model('a')])).toBeUndefined();
    expect(notOfferedWords([model('a'), vectors('v1'), afar])).toBe(
      'Not offered: v1 (makes embeddings only), afar (runs on another machine).',
    );
    expect(notOfferedWords(['1', '2', '3', '4', '5'].map(vectors))).toMatch(/3 \(.+\), and 2 more\.$/);
  });
});

it('an empty list means no models only if Ollama has answered', () => {
  expect(isListed({ models: [], ollama: 'ok' })).toBe(true);
  for (const reply of [
    undefined,
    { models: [], ollama: 'down' as const },
    { models: [], ollama: 'unknown' as const },
  ]) {
    expect(isListed(reply)).toBe(false);
  }
});
