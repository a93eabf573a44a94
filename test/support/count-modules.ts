// Preloaded with `node --import`: writes how many files of the program a process has loaded, to the file that
// APPCTL_MODULES names.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const files = new Set<string>();
registerHooks({
  load(url, context, next) {
    if (/\/(src|migrations)\/[^?]*\.ts$/.test(url)) files.add(url);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env.APPCTL_MODULES ?? '', String(files.size)));
