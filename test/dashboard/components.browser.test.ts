import { expect } from 'chai';
import { accessibilityFaults } from '../support/browser/accessibility.ts';
import { keepTheme } from '../support/browser/inPage.ts';
import { differenceTo } from '../support/browser/pictures.ts';
import { ViteServer } from '../support/browser/viteServer.ts';
import { WatchedPage } from '../support/browser/watchedPage.ts';

describe('dashboard: each component in all its states looks as it did', function () {
  this.timeout(600_000);
  let vite: ViteServer;
  before(async () => {
    vite = await ViteServer.start();
  });
  after(() => vite.stop());

  for (const theme of ['light', 'dark'] as const) {
    it(theme, async () => {
      const reader = await WatchedPage.open(vite.url, { width: 800, theme });
      // No exchange is behind the page: data that some components ask for stays absent.
      reader.expects(/ 502|favicon\.ico/);
      try {
        // Ages count from this moment on.
        await reader.page.clock.setFixedTime(new Date('2026-11-24T12:00:00Z'));
        await reader.goto('/components/');
        await reader.page.evaluate(keepTheme, theme);
        await reader.page.reload();
        await reader.page.locator('section[data-component=buttons]').waitFor();
        const sections = await reader.page.locator('section[data-component]').all();
        expect(sections.length).to.be.greaterThan(5);
        const differences: string[] = [];
        for (const section of sections) {
          const name = `${await section.getAttribute('data-component')}-${theme}`;
          const difference = differenceTo(name, await section.screenshot({ animations: 'disabled' }));
          if (difference !== undefined) differences.push(difference);
        }
        expect(differences).to.deep.equal([]);
        expect(await accessibilityFaults(reader.page)).to.deep.equal([]);
        reader.requireNoFault();
      } finally {
        await reader.close();
      }
    });
  }
});
