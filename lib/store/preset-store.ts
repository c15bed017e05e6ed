import type { PresetRecord, PresetRun } from '../api/preset.ts';

/** Reads presets. */
export interface PresetReader {
  /** All presets, oldest first. */
  presets(): Promise<PresetRecord[]>;
}

/** What a preset gets. Without `run`, its settings stay. */
export interface PresetChange {
  name: string;
  run?: PresetRun | undefined;
  updated_at: number;
}

/** Stores named settings for runs. */
export interface PresetStore extends PresetReader {
  /** Stores a new preset. Returns `false` if another one has its name (`nameKey`). */
  createPreset(preset: PresetRecord): Promise<boolean>;
  /** Changes a preset, and returns it. `name_taken`: another one has the name. `missing`: the preset does not exist. */
  updatePreset(id: string, change: PresetChange): Promise<PresetRecord | 'name_taken' | 'missing'>;
  /** Returns whether the preset existed. */
  deletePreset(id: string): Promise<boolean>;
}
