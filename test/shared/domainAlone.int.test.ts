// The rules load in a bare Node process with decimal.js and nothing else. The test does so in a folder outside the
// project that holds the compiled domain files and that one package.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { build } from 'vite';

const project = fileURLToPath(new URL('../..', import.meta.url));

describe('the pure parts load with decimal.js alone', () => {
  const room = mkdtempSync(join(tmpdir(), 'paper-domain-'));
  const files: string[] = [];

  before('compiles the domain folders, file by file, and copies the package', async () => {
    const src = join(project, 'src');
    const all = join(room, 'all');
    const folders = readdirSync(src, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => relative(src, join(entry.parentPath, entry.name)))
      .filter((folder) => /^[^/]+\/domain$|^actors\/core$|^features\/[^/]+\/rules$/.test(folder));
    const sources = folders.flatMap((folder) => {
      const names = readdirSync(join(src, folder)).filter((name) => name.endsWith('.ts'));
      files.push(...names.map((name) => `./${folder}/${name.replace(/\.ts$/, '.js')}`));
      return names.map((name) => join(src, folder, name));
    });
    await build({
      ...{ root: src, configFile: false, logLevel: 'error' },
      build: {
        ...{ ssr: true, target: 'node20', minify: false, outDir: all },
        rollupOptions: {
          input: sources,
          output: { preserveModules: true, preserveModulesRoot: src, entryFileNames: '[name].js' },
        },
      },
    });
    for (const folder of folders) cpSync(join(all, folder), join(room, folder), { recursive: true });
    rmSync(all, { recursive: true });
    mkdirSync(join(room, 'node_modules'));
    cpSync(join(project, 'node_modules/decimal.js'), join(room, 'node_modules/decimal.js'), { recursive: true });
    writeFileSync(join(room, 'package.json'), '{ "type": "module" }');
  });
  after(() => rmSync(room, { recursive: true }));

  it('every file of every domain folder', () => {
    expect(files).to.include('./actors/core/decide.js');
    // The test takes away all that a rule must not have before the first rule loads.
    const script = `
      const taken = ['Date', 'setTimeout', 'setInterval', 'fetch', 'crypto', 'performance', 'console', 'process'];
      const write = process.stdout.write.bind(process.stdout);
      for (const name of taken) delete globalThis[name];
      Math.random = undefined;
      for (const file of ${JSON.stringify(files)}) await import(file);
      write('all loaded');
    `;
    writeFileSync(join(room, 'loadAll.mjs'), script);
    expect(execFileSync(process.execPath, ['loadAll.mjs'], { cwd: room, encoding: 'utf8' })).to.equal('all loaded');
  });
});
