import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatMessage } from './chat-model.ts';
import { wireBody, wireRequest } from './wire-request.ts';

const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({
    role: fc.constantFrom('system' as const, 'user' as const),
    content: fc.string({ unit: 'binary' }),
  }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.string(),
    thinking: fc.string(),
    tool_calls: fc.array(
      fc.record({
        function: fc.record({ name: fc.string(), arguments: fc.dictionary(fc.string(), fc.integer()) }),
      }),
    ),
  }),
  fc.record({ role: fc.constant('tool' as const), tool_name: fc.string(), content: fc.string() }),
);

it('the JSON body equals the serialized request, even if its messages are cached', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(message), fc.boolean(), (model, messages, stream) => {
      for (let end = 0; end <= messages.length; end += 1) {
        const request = {
          model,
          messages: messages.slice(0, end),
          tools: [],
          options: { num_ctx: 4096, num_predict: 64 },
          think: false,
          stream,
          keepAlive: '5m',
        };
        expect(wireBody(request)).toBe(JSON.stringify(wireRequest(request)));
      }
    }),
  );
});
