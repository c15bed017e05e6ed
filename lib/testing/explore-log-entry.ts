import { z } from 'zod';
import { chatMessage, modelCallEnded } from '../events/model-call.ts';

const place = { run_id: z.string(), cycle_number: z.int().nonnegative() };

/** What every line of an exploration log must be (X14-X16): the fields of its source, and no others. */
export const exploreLogEntry = z.discriminatedUnion('event_type', [
  z.strictObject({
    ...place,
    event_type: z.literal('LLM_INVOCATION'),
    payload: z.strictObject({
      prompt_messages: z.array(chatMessage),
      /** `null` for a call that failed before anything was received. */
      response_message: modelCallEnded.shape.message.nullable(),
      /** The call failed: the message is what had been streamed until then. */
      partial: z.literal(true).optional(),
      model_options: z.record(z.string(), z.json()),
    }),
  }),
  z.strictObject({
    ...place,
    event_type: z.literal('TOOL_CALL'),
    payload: z.strictObject({
      tool_name: z.string(),
      /** What ran. */
      parameters: z.record(z.string(), z.json()),
      output: z.string(),
      /** The model's own arguments, where a person changed them before the call ran. */
      edited_from: z.record(z.string(), z.json()).optional(),
    }),
  }),
]);
