import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { BenchmarkReply } from '../lib/api/benchmark.ts';
import type { ExperimentReply } from '../lib/api/experiment.ts';
import type { McpServerReply } from '../lib/api/mcp.ts';
import type { RatingListReply, RatingReply } from '../lib/api/rating.ts';
import type { SuiteReply } from '../lib/api/suite.ts';
import { writeBenchmarkFolder } from '../lib/testing/benchmark-folder.ts';
import { toolsToAccept } from '../lib/testing/tools-to-accept.ts';
import type { LoupeServer } from './loupe-server.ts';

/** Sends a request to the API. @throws for an answer that is an error */
export async function send<Reply>(loupe: LoupeServer, path: string, json: unknown): Promise<Reply> {
  const answer = await loupe.request(path, { json });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Reply;
}

/** Runs an experiment to its end. @returns its ID */
export async function finishExperiment(loupe: LoupeServer, plan: object): Promise<string> {
  const { experiment } = await send<ExperimentReply>(loupe, '/api/experiments', plan);
  const status = async () => {
    const answer = await loupe.request(`/api/experiments/${experiment.id}`);
    return ((await answer.json()) as ExperimentReply).experiment.status;
  };
  await expect.poll(status, { timeout: 120_000 }).toBe('finished');
  return experiment.id;
}

/** Runs a benchmark of small cases, one per room, to its end. @returns its ID */
export async function finishBenchmark(
  loupe: LoupeServer,
  { rooms, models }: { rooms: readonly string[]; models: readonly string[] },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'loupe-benchmark-'));
  try {
    const request = { folder: writeBenchmarkFolder(folder, rooms), models };
    const { benchmark } = await send<BenchmarkReply>(loupe, '/api/benchmarks', request);
    const status = async () => {
      const answer = await loupe.request(`/api/benchmarks/${benchmark.id}`);
      return ((await answer.json()) as BenchmarkReply).benchmark.status;
    };
    await expect.poll(status, { timeout: 120_000 }).toBe('finished');
    return benchmark.id;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Has models rate runs by a questionnaire that ships with Loupe. @returns the ID of the rating */
export async function finishRating(loupe: LoupeServer, rating: object): Promise<string> {
  const { shipped } = (await (await loupe.request('/api/ratings')).json()) as RatingListReply;
  const created = await send<RatingReply>(loupe, '/api/ratings', { ...rating, shipped: shipped[0]?.name });
  const { id } = created.rating;
  const status = async () => {
    const answer = await loupe.request(`/api/ratings/${id}`);
    return ((await answer.json()) as RatingReply).rating.status;
  };
  await expect.poll(status, { timeout: 120_000 }).not.toBe('running');
  return id;
}

/** Adds the suite Basics. @returns its ID */
export async function addBasics(loupe: LoupeServer): Promise<string> {
  return (await send<SuiteReply>(loupe, '/api/suites', { shipped: 'basics' })).suite.id;
}

/** Adds an MCP server, starts it, and accepts its usable tools. */
export async function addMcpServer(loupe: LoupeServer, name: string, server: object): Promise<void> {
  const path = `/api/mcp/servers/${name}`;
  await send(loupe, '/api/mcp/servers', { name, server });
  await send(loupe, `${path}/start`, {});
  const read = async () => (await (await loupe.request(path)).json()) as McpServerReply;
  await expect.poll(async () => (await read()).state, { timeout: 30_000 }).toBe('ready');
  await send(loupe, `${path}/accept`, { tools: toolsToAccept(await read()) });
}
