import { z } from 'zod';

/** A server's prompts and resources (`GET /api/mcp/servers/{name}/offers`). All of it is untrusted. */
export interface McpOffersReply {
  prompts: McpPrompt[];
  resources: McpResource[];
  templates: McpResourceTemplate[];
}

interface Described {
  title?: string;
  description?: string;
}

export interface McpPrompt extends Described {
  name: string;
  arguments: (Described & { name: string; required: boolean })[];
}

export interface McpResource extends Described {
  uri: string;
  name: string;
  mime_type?: string;
  size_bytes?: number;
}

/** Resources whose addresses a person completes: `file:///{path}`. */
export interface McpResourceTemplate extends Described {
  uri_template: string;
  name: string;
  mime_type?: string;
}

/** Body of `POST /api/mcp/servers/{name}/prompt`. */
export const getMcpPromptRequest = z.strictObject({
  prompt: z.string().min(1).max(200),
  arguments: z.record(z.string().max(200), z.string().max(10_000)).default({}),
});

/** `POST /api/mcp/servers/{name}/prompt` */
export interface McpPromptReply {
  messages: { role: 'user' | 'assistant'; text: string }[];
  truncated?: true;
}

/** Body of `POST /api/mcp/servers/{name}/resource`. */
export const readMcpResourceRequest = z.strictObject({ uri: z.string().min(1).max(2000) });

/** `POST /api/mcp/servers/{name}/resource` */
export interface McpResourceReply {
  texts: string[];
  truncated?: true;
}
