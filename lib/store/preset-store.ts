import type { PresetRecord } from '../api/preset.ts';

/** Reads presets. */
export interface PresetReader {
  /** All presets, oldest first. */
  presets(): Promise<PresetRecord[]>;
}

/** Stores named settings for runs. */
export interface PresetStore extends PresetReader {
  /** Stores a preset, replacing an earlier one with its ID. Returns `false` if another one has its name (`nameKey`). */
  savePreset(preset: PresetRecord): Promise<boolean>;
  /** Returns whether the preset existed. */
  deletePreset(id: string): Promise<boolean>;
}
