const KEY = 'loupe.density';

/** Roomy or dense rows: kept in this browser, worn by the document's root for the styles to read. */
export function toggleDensity(): void {
  const root = document.documentElement;
  const dense = root.dataset.density !== 'dense';
  applyDensity(dense);
  try {
    localStorage.setItem(KEY, dense ? 'dense' : 'roomy');
  } catch (error) {
    console.info('This browser keeps no settings:', error);
  }
}

/** Puts the remembered density on the page. */
export function restoreDensity(): void {
  try {
    applyDensity(localStorage.getItem(KEY) === 'dense');
  } catch {
    // Storage is switched off: rows are roomy.
  }
}

function applyDensity(dense: boolean): void {
  if (dense) document.documentElement.dataset.density = 'dense';
  else delete document.documentElement.dataset.density;
}
