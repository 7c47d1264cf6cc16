// Imported before a process's own code: writes at its end which packages of OpenTelemetry it has loaded, into the file PACKAGES_FILE.
import { writeFileSync } from 'node:fs';
import { Module } from 'node:module';

process.on('exit', () => {
  const files = Object.keys(Module._cache).filter((file) => file.includes('@opentelemetry'));
  writeFileSync(process.env.PACKAGES_FILE, JSON.stringify(files));
});
