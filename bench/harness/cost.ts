import { setTimeout as delay } from 'node:timers/promises';
import type { LoupeServer } from '../../e2e/loupe-server.ts';
import type { PostgresServer } from '../../lib/testing/postgres-server.ts';
import { CASES, type Case, type LoadName } from './loads.ts';
import { type FakeProcess, type Measured, measureRuns, ownMs } from './measure.ts';
import { bytesIn, type ServerRoom, settleAndStop } from './measured-server.ts';
import { cpuMs, memoryMb, resetPeak } from './process-tree.ts';

/** The subjects that are compared with the bare fetch loop. */
export interface Subject {
  load: LoadName;
  /** Another loop; Loupe by default. */
  loop?: 'serialized-once';
  /** Fields of `POST /api/runs`. */
  settings?: object;
  usesPostgres?: boolean;
}

interface OwnMs {
  at20: number;
  at99: number;
}

/** The cost of runs; `undefined` for values that this machine or subject cannot provide. */
export interface Cost {
  msPerIteration: number;
  /** Relative to the bare fetch loop, measured just before or after. */
  ratio: number;
  /** From a reply to the next request, of long runs. */
  ownMs: OwnMs | undefined;
  bareOwnMs: OwnMs | undefined;
  cpuMsPerIteration: number | undefined;
  fsyncsPerIteration: number | undefined;
  /** The store's size on disk after a clean stop, including warm-ups. */
  storedKbPerIteration: number | undefined;
  /** Memory of the server and its child processes: at rest after the start, and the peak during the runs. */
  memory: { idleMb: number; peakMb: number } | undefined;
}

export interface Rig {
  fake: FakeProcess;
  room: ServerRoom;
  postgres: PostgresServer | undefined;
}

/** How long a started server is left alone before its memory counts as idle. */
const SETTLES_WITHIN_MS = 2000;

/** Measures the subject and the bare loop one after the other; which comes first alternates with the round. */
export async function costOf(rig: Rig, subject: Subject, size: Case, round: number): Promise<Cost> {
  const { load, loop } = subject;
  const measureLoop = (kind: 'fetch' | 'stream' | 'serialized-once') =>
    measureRuns({ fake: rig.fake, by: 'bare-loop', plan: { id: `${kind}${round}`, load, size, loop: kind } });
  const measureBare = () => measureLoop(load === 'streamed' ? 'stream' : 'fetch');
  const before = round % 2 === 0 ? await measureBare() : undefined;
  const { measured, ...own } = loop
    ? { measured: await measureLoop(loop) }
    : await measureLoupe(rig, subject, size, round);
  const bare = before ?? (await measureBare());
  return {
    cpuMsPerIteration: undefined,
    fsyncsPerIteration: undefined,
    storedKbPerIteration: undefined,
    memory: undefined,
    ...own,
    msPerIteration: measured.msPerIteration,
    ratio: measured.msPerIteration / bare.msPerIteration,
    ownMs: ownMsOf(measured, size),
    bareOwnMs: ownMsOf(bare, size),
  };
}

function ownMsOf({ runs }: Measured, { iterations }: Case): OwnMs | undefined {
  if (iterations < CASES.long.iterations) return undefined;
  return { at20: ownMs(runs, 20), at99: ownMs(runs, iterations) };
}

type OwnCost = Omit<Cost, 'msPerIteration' | 'ratio' | 'ownMs' | 'bareOwnMs'> & { measured: Measured };

async function measureLoupe(rig: Rig, subject: Subject, size: Case, round: number): Promise<OwnCost> {
  const { fake, room, postgres } = rig;
  const { load, settings, usesPostgres = false } = subject;
  const database = usesPostgres ? postgres?.newDatabase() : undefined;
  if (usesPostgres && database === undefined) throw new Error('PostgreSQL is not installed');
  const emptyBytes = database === undefined ? await room.emptyBytes(fake.url) : 0;
  const server = await room.start(fake.url, database === undefined ? {} : { LOUPE_DATABASE_URL: database });
  try {
    const databaseBytes = () =>
      Number(postgres?.sql(database ?? '', 'select pg_database_size(current_database())'));
    const emptyDatabaseBytes = database === undefined ? 0 : databaseBytes();
    const memoryNow = async () => {
      if (size.concurrency === 1) return undefined;
      await delay(SETTLES_WITHIN_MS);
      return memoryMb(pidOf(server), 'now');
    };
    const idleMb = await memoryNow();
    resetPeak(pidOf(server));
    let cpuBefore: number | undefined;
    let fsyncsBefore: number | undefined;
    const measured = await measureRuns({
      fake,
      by: 'followed-runs',
      plan: { id: `loupe${round}`, load, size, loupe: room.runsOf([server], settings) },
      onWarm() {
        cpuBefore = cpuMs(pidOf(server));
        fsyncsBefore = room.fsyncs?.count();
      },
    });
    const counted = size.iterations * size.concurrency * size.repetitions;
    const since = (now: number | undefined, then: number | undefined) =>
      now === undefined || then === undefined ? undefined : (now - then) / counted;
    const cpuMsPerIteration = since(cpuMs(pidOf(server)), cpuBefore);
    const fsyncsPerIteration = since(room.fsyncs?.count(), fsyncsBefore);
    const peakMb = memoryMb(pidOf(server), 'peak');
    await settleAndStop(server);
    const storedBytes =
      database === undefined ? bytesIn(server.dataDir) - emptyBytes : databaseBytes() - emptyDatabaseBytes;
    return {
      measured,
      cpuMsPerIteration,
      fsyncsPerIteration,
      storedKbPerIteration: storedBytes / 1024 / measured.iterations,
      memory: idleMb === undefined || peakMb === undefined ? undefined : { idleMb, peakMb },
    };
  } finally {
    await server.dispose();
  }
}

function pidOf({ process: { pid } }: LoupeServer): number {
  if (pid === undefined) throw new Error('The server has no process');
  return pid;
}
