import { describe, expect, it } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { askedSettings, defaultSettings, settingsOf } from '../api/run-settings.ts';
import { kindFacts, kindOf, modeAndTools, runKinds } from '../events/modes.ts';
import { modeOf } from './mode-of.ts';
import { resolveConfig } from './resolve-config.ts';

describe.each(runKinds)('the facts of the kind "%s" agree with what it does', (kind) => {
  const facts = kindFacts(kind);
  const request = createRunRequest.parse({
    ...modeAndTools(kind),
    model: 'm',
    ...(facts.task === 'none' ? {} : { task: 'Do it.' }),
  });
  const config = resolveConfig(request, { workspace: '/w', offeredTools: ['write_file'] });
  const mode = modeOf(config);

  it('is recognized from its configuration', () => {
    expect(kindOf(config)).toBe(kind);
  });

  it('takes the defaults of its mode', () => {
    const settings = settingsOf(config);
    const defaults = defaultSettings(config);
    expect(askedSettings({ ...config, asked: undefined })).toEqual({});
    for (const name of facts.settings.filter((own) => own in defaults)) expect(settings).toHaveProperty(name);
  });

  it('works in a folder and opens tools as its facts say', () => {
    expect(config.workspace).toBe(facts.usesFiles ? '/w' : '');
    expect(mode.usesTools).toBe(facts.tools.length > 0);
  });

  it('shortens older results only if that can be set', () => {
    expect(mode.shortens).toBe(facts.settings.includes('compact_at'));
  });

  it('is bounded by a setting that it has, or has no iteration limit of its own', () => {
    if (facts.endsBy === 'stop') expect(config.max_iterations).toBe(0);
    else if (facts.endsBy === 'reply') expect(mode.betweenIterations).toEqual([]);
    else expect(facts.settings).toContain(facts.endsBy);
  });
});
