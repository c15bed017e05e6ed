import {
  asPreset,
  MAX_PRESETS,
  type Preset,
  type PresetListReply,
  type PresetRecord,
  type PresetReply,
  type PresetRequest,
  type PresetUpdate,
  presetFile,
} from '../api/preset.ts';
import { AppError } from '../errors/app-error.ts';
import type { PresetStore } from '../store/preset-store.ts';
import { freeName } from '../util/free-name.ts';
import { nameKey } from '../util/name-key.ts';

const byName = new Intl.Collator('en', { numeric: true });

/** Named settings for runs. Kept in the store, so that all browsers, the CLI and all processes share them. */
export class Presets {
  readonly #store: PresetStore;
  readonly #newId: () => string;
  readonly #now: () => number;

  constructor(options: { store: PresetStore; newId: () => string; now: () => number }) {
    this.#store = options.store;
    this.#newId = options.newId;
    this.#now = options.now;
  }

  async list(): Promise<PresetListReply> {
    const presets = (await this.#store.presets()).map(asPreset);
    return { presets: presets.sort((a, b) => byName.compare(a.name, b.name)) };
  }

  /** @throws {AppError} `preset_not_found` */
  async get(id: string): Promise<Preset> {
    const found = (await this.#store.presets()).find((preset) => preset.id === id);
    if (!found) throw missing(id);
    return asPreset(found);
  }

  /**
   * Stores a new preset. A preset from a file gets another name if its own is taken, and loses its folder, so that it
   * gives access to none.
   *
   * @throws {AppError} `preset_exists`, `too_many_presets`
   */
  async create(request: PresetRequest): Promise<PresetReply> {
    const isFile = request.format !== undefined;
    const { name, run } = isFile ? presetFile(request) : request;
    const leftOut = Object.keys(request.run).filter((field) => !(field in run));
    const now = this.#now();
    const preset = { id: this.#newId(), name, run, created_at: now, updated_at: now };
    const saved = isFile ? await this.#saveUnderFreeName(preset) : await this.#saveNew(preset);
    return { preset: saved, ...(leftOut.length > 0 ? { left_out: leftOut } : {}) };
  }

  /** @throws {AppError} `preset_exists`, `too_many_presets` */
  async #saveNew(preset: PresetRecord): Promise<Preset> {
    await this.#requireRoom();
    if (await this.#store.createPreset(preset)) return asPreset(preset);
    throw nameTaken(preset.name);
  }

  /** @throws {AppError} `too_many_presets` */
  async #saveUnderFreeName(preset: PresetRecord): Promise<Preset> {
    // Another request may take the name in the meantime.
    for (;;) {
      const taken = new Set((await this.#requireRoom()).map(({ name }) => nameKey(name)));
      const named = { ...preset, name: freeName(preset.name, taken, nameKey) };
      if (await this.#store.createPreset(named)) return asPreset(named);
    }
  }

  /** The stored presets. @throws {AppError} `too_many_presets` */
  async #requireRoom(): Promise<readonly PresetRecord[]> {
    const stored = await this.#store.presets();
    if (stored.length < MAX_PRESETS) return stored;
    throw new AppError({
      code: 'too_many_presets',
      message: `There are already ${MAX_PRESETS} presets.`,
      hint: 'Delete one that is no longer needed.',
    });
  }

  /** Replaces the name of a preset, and its settings if there are any. @throws {AppError} `preset_not_found`, `preset_exists` */
  async update(id: string, { name, run }: PresetUpdate): Promise<PresetReply> {
    const updated = await this.#store.updatePreset(id, { name, run, updated_at: this.#now() });
    if (updated === 'missing') throw missing(id);
    if (updated === 'name_taken') throw nameTaken(name);
    return { preset: asPreset(updated) };
  }

  /** @throws {AppError} `preset_not_found` */
  async delete(id: string): Promise<{ deleted: string }> {
    if (!(await this.#store.deletePreset(id))) throw missing(id);
    return { deleted: id };
  }
}

function nameTaken(name: string): AppError {
  return new AppError({
    code: 'preset_exists',
    message: `A preset named "${name}" already exists.`,
    hint: 'Choose another name, or update that preset.',
  });
}

function missing(id: string): AppError {
  return new AppError({
    code: 'preset_not_found',
    message: `There is no preset "${id.slice(0, 60)}".`,
    hint: 'Check the ID: the preset may have been deleted.',
  });
}
