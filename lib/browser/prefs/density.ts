import { remember, remembered } from './remembered.ts';

/** How much of each row is shown: all with room, all without, or its first line. */
const DENSITIES = ['roomy', 'dense', 'skim'] as const;
export type Density = (typeof DENSITIES)[number];

export const DENSITY_WORDS: Record<Density, string> = {
  roomy: 'Comfortable',
  dense: 'Compact',
  skim: 'One line per row',
};

/** Switches to the next density: stores it in this browser, and sets it on the document's root for the styles. */
export function nextDensity(): Density {
  const density = DENSITIES[(DENSITIES.indexOf(presentDensity()) + 1) % DENSITIES.length] ?? 'roomy';
  document.documentElement.dataset.density = density;
  remember('density', density);
  return density;
}

/** Applies the remembered density to the page. */
export function restoreDensity(): void {
  const kept = remembered('density');
  document.documentElement.dataset.density = DENSITIES.find((density) => density === kept) ?? 'roomy';
}

function presentDensity(): Density {
  const worn = document.documentElement.dataset.density;
  return DENSITIES.find((density) => density === worn) ?? 'roomy';
}
