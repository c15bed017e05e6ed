import { z } from 'zod';
import { MAX_ENTERED_CHARS } from '../events/entered-content.ts';
import { mcpRequestAction } from '../events/mcp-request.ts';

const enteredText = z.string().max(MAX_ENTERED_CHARS);

/** Body of `POST /api/runs/{id}/mcp-requests`: a person's answer to what an MCP server asks during a call. */
export const answerMcpRequest = z.strictObject({
  request_id: z.string().min(1).max(200),
  action: mcpRequestAction,
  /** What was entered in the form, by the name of the field. */
  content: z
    .record(
      z.string().max(200),
      z.union([enteredText, z.number(), z.boolean(), z.array(enteredText).max(100)]),
    )
    .optional(),
});
