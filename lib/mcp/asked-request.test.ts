import { describe, expect, it } from 'vitest';
import { RefusedRequestError, readElicitation, readSampling } from './asked-request.ts';
import { MAX_ASKED_FIELDS, MAX_SAMPLE_CHARS, MAX_SAMPLE_MESSAGES } from './limits.ts';
import { SecretMask } from './secrets.ts';

const mask = new SecretMask([{ name: 'KEY', value: 'planted-secret' }]);
const form = (properties: object, required: string[] = []) =>
  readElicitation({ message: 'Please', requestedSchema: { type: 'object', properties, required } }, mask);
const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof RefusedRequestError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('readElicitation', () => {
  it('suggests no value that holds a secret', () => {
    const read = form({
      a: { type: 'string', default: 'x planted-secret' },
      b: { type: 'array', items: { enum: ['c'] }, default: ['planted-secret'] },
    });
    expect(read).toMatchObject({ fields: [{ name: 'a' }, { name: 'b' }] });
    expect(JSON.stringify(read)).not.toContain('planted');
  });

  it('reads every kind of field, with what bounds and presets it', () => {
    expect(
      form(
        {
          name: { type: 'string', title: 'Your name', minLength: 2, maxLength: 9, default: 'Ada' },
          mail: { type: 'string', format: 'email', description: 'Where to write' },
          age: { type: 'integer', minimum: 1, maximum: 120, default: 30 },
          share: { type: 'number', default: 'none' },
          agree: { type: 'boolean', default: true },
          color: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'], default: 'g' },
          size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
          days: {
            type: 'array',
            items: { anyOf: [{ const: 'mo', title: 'Monday' }] },
            minItems: 1,
            default: ['mo'],
          },
        },
        ['name'],
      ),
    ).toEqual({
      kind: 'form',
      message: 'Please',
      fields: [
        { name: 'name', title: 'Your name', kind: 'text', required: true, min: 2, max: 9, preset: 'Ada' },
        { name: 'mail', description: 'Where to write', kind: 'text', required: false, format: 'email' },
        { name: 'age', kind: 'integer', required: false, min: 1, max: 120, preset: 30 },
        { name: 'share', kind: 'number', required: false },
        { name: 'agree', kind: 'switch', required: false, preset: true },
        {
          ...{ name: 'color', kind: 'choice', required: false, preset: 'g' },
          options: [
            { value: 'r', label: 'Red' },
            { value: 'g', label: 'Green' },
          ],
        },
        { name: 'size', kind: 'choice', required: false, options: [{ value: 's', label: 'Small' }] },
        {
          ...{ name: 'days', kind: 'choices', required: false, min: 1, preset: ['mo'] },
          options: [{ value: 'mo', label: 'Monday' }],
        },
      ],
    });
  });

  it.each(['password', 'apiKey', 'api_key', 'recovery-phrase', 'PIN'])(
    'marks the field %s as secret',
    (name) => {
      expect(form({ [name]: { type: 'string' } })).toMatchObject({ fields: [{ looks_secret: true }] });
    },
  );

  it('masks and cleans what it shows', () => {
    const request = readElicitation(
      { message: 'Use planted-secret\u202e now', requestedSchema: { properties: {} } },
      mask,
    );
    expect(request).toMatchObject({ message: 'Use [secret KEY] now' });
  });

  it('shows a web address, and no other', () => {
    const url = (address: unknown) => readElicitation({ mode: 'url', message: '', url: address }, mask);
    expect(url('https://example.org/a')).toEqual({ kind: 'url', message: '', url: 'https://example.org/a' });
    for (const bad of [
      'javascript:alert(1)',
      'https://me:pass@example.org',
      7,
      `https://a/${'x'.repeat(9000)}`,
    ]) {
      expect(refusal(() => url(bad))).toMatch(/must begin with http/);
    }
  });

  it.each([
    ['no schema', {}, /missing/],
    [
      'too many fields',
      {
        requestedSchema: {
          properties: Object.fromEntries(
            Array.from({ length: MAX_ASKED_FIELDS + 1 }, (_, i) => [`f${i}`, { type: 'string' }]),
          ),
        },
      },
      /at most \d+ fields/,
    ],
    [
      'an object as a field',
      { requestedSchema: { properties: { a: { type: 'object' } } } },
      /texts, numbers/,
    ],
    [
      'a name that hides',
      { requestedSchema: { properties: { 'a\u200b': { type: 'string' } } } },
      /name that cannot/,
    ],
    [
      'a choice without options',
      { requestedSchema: { properties: { a: { type: 'string', enum: [] } } } },
      /options/,
    ],
  ])('refuses %s', (_, params, reason) => {
    expect(refusal(() => readElicitation(params, mask))).toMatch(reason);
  });
});

describe('readSampling', () => {
  const text = (words: string) => ({ role: 'user', content: { type: 'text', text: words } });

  it('reads texts and limits, and names parts that are not passed on', () => {
    const asked = readSampling(
      {
        messages: [
          text('Hello planted-secret'),
          {
            role: 'assistant',
            content: [
              { type: 'image', data: 'x' },
              { type: 'text', text: 'And?' },
            ],
          },
        ],
        systemPrompt: 'Be brief.',
        maxTokens: 12.7,
        temperature: 0.5,
        stopSequences: ['END', 7],
      },
      mask,
    );
    expect(asked).toEqual({
      kind: 'sampling',
      system: 'Be brief.',
      messages: [
        { role: 'user', text: 'Hello [secret KEY]' },
        { role: 'assistant', text: '[image, not passed on]\n\nAnd?' },
      ],
      max_tokens: 12,
      temperature: 0.5,
      stop: ['END'],
    });
    expect(readSampling({ messages: [text('a')], temperature: 9 }, mask)).toMatchObject({ max_tokens: 1000 });
  });

  it.each([
    ['no message', { messages: [] }, /1 to/],
    [
      'too many messages',
      { messages: Array.from({ length: MAX_SAMPLE_MESSAGES + 1 }, () => text('a')) },
      /1 to/,
    ],
    ['tools', { messages: [text('a')], tools: [{}] }, /without tools/],
    ['too much text', { messages: [text('a'.repeat(MAX_SAMPLE_CHARS + 1))] }, /at most [\d,]+ characters/],
  ])('refuses %s', (_, params, reason) => {
    expect(refusal(() => readSampling(params, mask))).toMatch(reason);
  });
});
