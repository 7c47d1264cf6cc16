// The components with all their states, on a page of their own: `npm run dashboard`, then /components/. Only the server for
// working on the dashboard has it. The browser tests photograph each section, so it has a font of its own, not the machine's.
import '../styles/all.css';
import './components.css';
import font from 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf?url';
import { render } from 'preact';
import { timeZone } from '../state/settings.ts';
import { SECTIONS } from './sections.tsx';

timeZone.value = 'utc';

function Components() {
  return (
    <main class="components">
      <h1>Components</h1>
      {Object.entries(SECTIONS).map(([name, states]) => (
        <section key={name} data-component={name} aria-label={`States of ${name}`}>
          <h2>{name}</h2>
          {Object.entries(states).map(([state, content]) => (
            <div key={state}>
              <p class="quiet">{state}</p>
              {content}
            </div>
          ))}
        </section>
      ))}
    </main>
  );
}

const face = await new FontFace('components', `url(${font})`).load();
document.fonts.add(face);
render(<Components />, document.body);
