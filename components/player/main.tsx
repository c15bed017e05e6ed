import { createRoot } from 'react-dom/client';
import { PlayerApp } from './player-app.tsx';

// The one entry of the player's bundle: shows what stands in the page, and says so when nothing can be read from it.
const place = document.getElementById('loupe');
if (place) {
  const text = document.getElementById('loupe-source')?.textContent ?? '';
  createRoot(place).render(<PlayerApp text={text} />);
}
