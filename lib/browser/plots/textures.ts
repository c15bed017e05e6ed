/** The texture of an area of a plot, in addition to its color. */
export type Texture = 'solid' | 'stripes' | 'crosses';

/** Width and height of a tile. */
export const TEXTURE_TILE_PX = 6;

/** Diagonals that continue in the tiles beside them. */
const RISING = 'M-1 1L1 -1M0 6L6 0M5 7L7 5';
const FALLING = 'M-1 5L1 7M0 0L6 6M5 -1L7 1';

/** The lines of a tile as an SVG path, in the color of the ground. */
export const TEXTURE_LINES: Readonly<Record<Exclude<Texture, 'solid'>, string>> = {
  stripes: RISING,
  crosses: RISING + FALLING,
};

/** The textures that need a pattern, each once. Pure. */
export function patternsOf(used: readonly (Texture | undefined)[]): (keyof typeof TEXTURE_LINES)[] {
  return (['stripes', 'crosses'] as const).filter((texture) => used.includes(texture));
}
