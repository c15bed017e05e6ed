import { patternsOf, TEXTURE_LINES, TEXTURE_TILE_PX, type Texture } from '#lib/browser/plots/textures.ts';

/** Patterns to lay over filled areas of a drawing: `ID-stripes` and `ID-crosses`. */
export function TexturePatterns({ id, used }: { id: string; used: readonly (Texture | undefined)[] }) {
  return (
    <defs>
      {patternsOf(used).map((texture) => (
        <pattern
          key={texture}
          id={`${id}-${texture}`}
          width={TEXTURE_TILE_PX}
          height={TEXTURE_TILE_PX}
          patternUnits="userSpaceOnUse"
        >
          <path d={TEXTURE_LINES[texture]} className="stroke-canvas" strokeWidth={1.25} fill="none" />
        </pattern>
      ))}
    </defs>
  );
}
