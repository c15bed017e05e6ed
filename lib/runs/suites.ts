import type {
  AddCaseRequest,
  AddedCaseReply,
  CreateSuiteRequest,
  Suite,
  SuiteCase,
  SuiteFileFormat,
  SuiteListReply,
  SuiteRecord,
  SuiteReply,
  UpdateSuiteRequest,
} from '../api/suite.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import { MAX_SUITES } from '../events/limits.ts';
import { checkSuiteInThread, readSuiteInThread } from '../experiments/read-in-thread.ts';
import type { SuiteStore } from '../store/suite-store.ts';
import { caseOfRun } from '../suites/case-of-run.ts';
import { shippedSuite, shippedSuites } from '../suites/shipped/shipped-suites.ts';
import { suiteHash } from '../suites/suite-hash.ts';
import { freeName } from '../util/free-name.ts';
import { nameKey } from '../util/name-key.ts';

const byName = new Intl.Collator('en', { numeric: true });

/** How often a change is tried while others make theirs at the same moment. */
const MAX_TRIES = 5;

/** Named lists of cases. Each change of the cases creates a version, identified by the hash of its cases. */
export class Suites {
  readonly #store: SuiteStore;
  readonly #runOf: (
    runId: string,
  ) => Promise<{ run: { folder?: string | undefined; imported_at?: number | undefined }; config: RunConfig }>;
  readonly #newId: () => string;
  readonly #now: () => number;

  constructor(options: {
    store: SuiteStore;
    /** @throws {AppError} `run_not_found` */
    runOf: (runId: string) => Promise<{
      run: { folder?: string | undefined; imported_at?: number | undefined };
      config: RunConfig;
    }>;
    newId: () => string;
    now: () => number;
  }) {
    this.#store = options.store;
    this.#runOf = options.runOf;
    this.#newId = options.newId;
    this.#now = options.now;
  }

  async list(): Promise<SuiteListReply> {
    const suites = await this.#store.suites();
    return {
      suites: suites.sort((a, b) => byName.compare(a.name, b.name)),
      shipped: shippedSuites(),
    };
  }

  /**
   * A suite with the cases of a version.
   *
   * @param hash default: the current version
   * @throws {AppError} `suite_not_found`, `suite_version_not_found`
   */
  async get(id: string, hash?: string): Promise<SuiteReply> {
    const suite = await this.#store.suite(id);
    if (!suite) throw missing(`There is no suite "${id.slice(0, 60)}".`);
    const cases = await this.#store.suiteCases(id, hash ?? suite.hash);
    if (!cases) throw missingVersion(`The suite "${suite.name}" has no version ${hash?.slice(0, 64)}.`);
    return { suite, cases, versions: await this.#store.suiteVersions(id) };
  }

  /**
   * A version of a stored suite, or of one that ships with Loupe.
   *
   * @throws {AppError} `suite_not_found`, `suite_version_not_found`
   */
  async find({
    id,
    shipped: name,
    hash,
  }: {
    id?: string | undefined;
    shipped?: string | undefined;
    hash?: string | undefined;
  }): Promise<{ id?: string; name: string; hash: string; cases: SuiteCase[] }> {
    if (id !== undefined) {
      const { suite, cases } = await this.get(id, hash);
      return { id, name: suite.name, hash: hash ?? suite.hash, cases };
    }
    const found = shipped(name ?? '');
    const current = suiteHash(found.cases);
    if (hash === undefined || hash === current)
      return { name: found.name, hash: current, cases: found.cases };
    throw missingVersion(
      `This Loupe ships a different version of "${found.name}" than ${hash.slice(0, 64)}.`,
      `An update of Loupe changed it; its version is ${current}. Experiments keep the cases that they were started with.`,
    );
  }

  /** A version of a suite, for a file. @throws {AppError} `suite_not_found`, `suite_version_not_found` */
  async content(id: string, hash?: string): Promise<Suite> {
    const { suite, cases } = await this.get(id, hash);
    return { name: suite.name, description: suite.description, cases };
  }

  /**
   * Stores a new suite. A suite from a file, or one that ships with Loupe, gets another name if its own is taken.
   *
   * @throws {AppError} `invalid_request` with the place of each problem, `suite_exists`, `too_many_suites`, `suite_not_found`
   */
  async create(request: CreateSuiteRequest): Promise<SuiteReply> {
    const { suite: value, text, format, name } = request;
    const given =
      text !== undefined && format !== undefined
        ? await readSuiteInThread({ text, format, name })
        : request.shipped !== undefined
          ? shipped(request.shipped)
          : await checkSuiteInThread(value);
    // Another request may take a free name in the meantime.
    return value === undefined
      ? retryRaces(['suite_exists'], () => this.#create(given, { underFreeName: true }))
      : this.#create(given, { underFreeName: false });
  }

  /** @throws {AppError} `suite_exists`, `too_many_suites` */
  async #create(given: Suite, { underFreeName }: { underFreeName: boolean }): Promise<SuiteReply> {
    const stored = await this.#store.suites();
    if (stored.length >= MAX_SUITES) {
      throw new AppError({
        code: 'too_many_suites',
        message: `There are already ${MAX_SUITES} suites.`,
        hint: 'Delete one that is no longer needed.',
      });
    }
    const taken = new Set(stored.map((suite) => nameKey(suite.name)));
    const id = this.#newId();
    const at = this.#now();
    const record = recordOf(
      underFreeName ? { ...given, name: freeName(given.name, taken, nameKey) } : given,
      {
        id,
        created_at: at,
        updated_at: at,
      },
    );
    await this.#save(record, given, undefined);
    return this.get(id);
  }

  /**
   * Stores the suite in a file, or a new version of the suite with its name. An existing version is reused.
   *
   * @throws {AppError} as `create` and `update`
   */
  async keep(file: {
    text: string;
    format: SuiteFileFormat;
    name?: string | undefined;
  }): Promise<{ id: string; hash: string }> {
    const given = await readSuiteInThread({ ...file, name: file.name ?? 'Suite' });
    // Several experiments may read the same file at the same moment.
    return retryRaces(['suite_exists', 'suite_changed'], () => this.#keep(given));
  }

  async #keep(given: Suite): Promise<{ id: string; hash: string }> {
    const key = nameKey(given.name);
    const hash = suiteHash(given.cases);
    const stored = (await this.#store.suites()).find((suite) => nameKey(suite.name) === key);
    if (!stored) {
      const { suite } = await this.create({ suite: given });
      return { id: suite.id, hash };
    }
    const { id, hash: base } = stored;
    if (!(await this.#store.suiteCases(id, hash))) await this.update(id, { suite: given, base });
    return { id, hash };
  }

  /**
   * Replaces the content of a suite: a new version, if the cases differ.
   *
   * @throws {AppError} `suite_not_found`, `invalid_request` with the place of each problem, `suite_exists`, `suite_changed`
   */
  async update(id: string, { suite: value, base }: UpdateSuiteRequest): Promise<SuiteReply> {
    const { suite } = await this.get(id);
    const given = await checkSuiteInThread(value);
    const { created_at } = suite;
    await this.#save(recordOf(given, { id, created_at, updated_at: this.#now() }), given, base ?? suite.hash);
    return this.get(id);
  }

  /**
   * Adds a run's task as a case.
   *
   * @throws {AppError} `suite_not_found`, `run_not_found`, `invalid_request`, `case_exists`, `suite_changed`
   */
  async addCase(id: string, request: AddCaseRequest): Promise<AddedCaseReply> {
    const { run, config } = await this.#runOf(request.run_id);
    const { id: caseId = request.run_id, target, tags } = request;
    // The author of an imported file chose its folder.
    const folder = run.imported_at === undefined ? run.folder : undefined;
    const added = { ...caseOfRun(caseId, config, folder), target, tags };
    return retryRaces(['suite_changed'], async () => {
      const { suite, cases } = await this.get(id);
      if (cases.some((each) => each.id === caseId)) throw caseExists(caseId, suite.name);
      const { name, description } = suite;
      const value = JSON.parse(JSON.stringify({ name, description, cases: [...cases, added] }));
      const changed = await this.update(id, { suite: value, base: suite.hash });
      const found = changed.cases.find((each) => each.id === caseId);
      if (!found) throw suiteChanged(name); // by another request, after this one
      return { suite: changed.suite, case: found };
    });
  }

  /** @throws {AppError} `suite_not_found` */
  async delete(id: string): Promise<{ deleted: string }> {
    if (!(await this.#store.deleteSuite(id))) throw missing(`There is no suite "${id.slice(0, 60)}".`);
    return { deleted: id };
  }

  async #save(record: SuiteRecord, { cases }: Suite, base: string | undefined): Promise<void> {
    const saved = await this.#store.saveSuite(record, { cases, ...(base === undefined ? {} : { base }) });
    switch (saved) {
      case 'saved':
        return;
      case 'name_taken':
        throw new AppError({
          code: 'suite_exists',
          message: `A suite named "${record.name}" already exists.`,
          hint: 'Choose another name, or change that suite.',
        });
      case 'changed':
        throw suiteChanged(record.name);
    }
  }
}

/** Repeats work that failed because another request was first. @param codes of the errors that say so */
async function retryRaces<Result>(codes: readonly string[], work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isRace = error instanceof AppError && codes.includes(error.code);
      if (!isRace || tries === MAX_TRIES) throw error;
    }
  }
}

function recordOf(
  { name, description, cases }: Suite,
  facts: Pick<SuiteRecord, 'id' | 'created_at' | 'updated_at'>,
): SuiteRecord {
  return { ...facts, name, description, hash: suiteHash(cases), cases: cases.length };
}

function shipped(name: string): Suite {
  const found = shippedSuite(name);
  if (found) return found;
  const names = shippedSuites().map((each) => each.name);
  throw missing(`No suite "${name.slice(0, 60)}" ships with Loupe.`, `Choose one of ${names.join(', ')}.`);
}

function suiteChanged(name: string): AppError {
  return new AppError({
    code: 'suite_changed',
    message: `The suite "${name}" was changed in the meantime.`,
    hint: 'Reload it and make the change again.',
  });
}

function missing(message: string, hint = 'Check the ID: the suite may have been deleted.'): AppError {
  return new AppError({ code: 'suite_not_found', message, hint });
}

function missingVersion(message: string, hint = 'Its page lists its versions, with their hashes.'): AppError {
  return new AppError({ code: 'suite_version_not_found', message, hint });
}

function caseExists(id: string, name: string): AppError {
  return new AppError({
    code: 'case_exists',
    message: `The suite "${name}" already has a case "${id}".`,
    hint: 'Choose another ID.',
  });
}
