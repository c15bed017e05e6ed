import { createRoot } from 'react-dom/client';
import { PlayerApp } from './player-app.tsx';

// The entry point of the player bundle: renders the run embedded in the page, or an error.
const place = document.getElementById('loupe');
if (place) {
  const text = document.getElementById('loupe-source')?.textContent ?? '';
  createRoot(place).render(<PlayerApp text={text} />);
}
