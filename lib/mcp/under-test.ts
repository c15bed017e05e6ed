import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HttpServer, McpServerReply, StdioServer } from '../api/mcp.ts';
import { openSandbox } from '../sandbox/probe.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { McpServers } from './mcp-servers.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const NODE_MODULES = join(root, 'node_modules');
const HOSTILE = join(root, 'lib', 'testing', 'hostile-mcp-server.mjs');

/** A variable in Loupe's environment in tests, and its value, which must not appear anywhere. */
export const PLANTED = { name: 'PLANTED_KEY', value: 'planted-value-47c1f0' };

/** The configuration of a program that Node runs, with the folders it must see in a sandbox. */
export function nodeServer(
  file: string,
  args: readonly string[] = [],
  more: Partial<StdioServer> = {},
): StdioServer {
  const node = realpathSync(process.execPath);
  return {
    type: 'stdio',
    command: node,
    args: [file, ...args],
    env: {},
    workspace: 'none',
    network: false,
    enabled: true,
    timeout_seconds: 30,
    trust_read_only: false,
    ...more,
    folders: [
      ...[NODE_MODULES, dirname(dirname(node)), dirname(file)].map((path) => ({
        path,
        access: 'read' as const,
      })),
      ...(more.folders ?? []),
    ],
  };
}

/** The configuration of a server at an address. */
export function serverAt(url: string, more: Partial<HttpServer> = {}): HttpServer {
  return {
    type: 'http',
    url,
    headers: {},
    enabled: true,
    timeout_seconds: 20,
    trust_read_only: false,
    ...more,
  };
}

/** One of the servers from npm. */
export function npmServer(
  name: 'everything' | 'filesystem' | 'memory',
  args: readonly string[] = [],
  more: Partial<StdioServer> = {},
): StdioServer {
  return nodeServer(
    join(NODE_MODULES, '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js'),
    args,
    more,
  );
}

/** Our own server that misbehaves. */
export function hostileServer(
  behavior: string,
  args: readonly string[] = [],
  more: Partial<StdioServer> = {},
): StdioServer {
  return nodeServer(HOSTILE, [behavior, ...args], more);
}

export interface ServersUnderTest extends AsyncDisposable {
  servers: McpServers;
  dataDir: string;
  /** Adds a server and waits until it is ready or has failed. */
  start(name: string, server: Parameters<McpServers['add']>[1]): Promise<McpServerReply>;
  /** A server, once it is ready or has failed. */
  settled(name: string): Promise<McpServerReply>;
  /** Accepts all usable tools. */
  accept(name: string): Promise<McpServerReply>;
}

/**
 * Servers with their own data directory.
 *
 * @param options.confined in the sandbox of this machine; default: without one
 */
export async function serversUnderTest({
  confined = false,
  idleMs,
}: {
  confined?: boolean;
  idleMs?: number;
} = {}): Promise<ServersUnderTest> {
  const sandbox: Sandbox = confined ? await openSandbox() : openUnconfined();
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'loupe-mcp-')));
  const servers = new McpServers({
    dataDir,
    sandbox,
    confined,
    environment: { [PLANTED.name]: PLANTED.value },
    idleMs,
  });
  const settled = async (name: string): Promise<McpServerReply> => {
    for (;;) {
      const reply = await servers.get(name);
      if (reply.state !== 'starting') return reply;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  return {
    servers,
    dataDir,
    settled,
    async start(name, server) {
      await servers.add(name, server);
      await servers.start(name);
      return settled(name);
    },
    async accept(name) {
      const { tools } = await servers.get(name);
      const usable = tools.filter(({ status }) => status === 'new' || status === 'changed');
      return servers.accept(name, usable);
    },
    async [Symbol.asyncDispose]() {
      await servers.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
