import type { PresetRecord } from '../api/preset.ts';

/** Reads presets. */
export interface PresetReader {
  /** All presets, oldest first. */
  presets(): Promise<PresetRecord[]>;
}

/** Keeps named settings for runs. */
export interface PresetStore extends PresetReader {
  /** Stores a preset, replacing an earlier one with its id. Returns `false` if another one has its name (`nameKey`). */
  savePreset(preset: PresetRecord): Promise<boolean>;
  /** Returns whether there was such a preset. */
  deletePreset(id: string): Promise<boolean>;
}
