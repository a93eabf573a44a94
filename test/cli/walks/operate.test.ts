// Whoever looks after a server: is it well, what is wrong, what did it write, and what to send to whoever helps.
import { testWalk } from '../../support/walk.ts';

testWalk('operate', {
  steps(port) {
    const hidden = (line: string) => ({ line, hidden: true as const });
    return [
      hidden('appctl setup --no-input --owner-email ann@example.com --generate-password --json'),
      'appctl status',
      { ...hidden(`appctl serve --listen 127.0.0.1:${port}`), until: 'listening' },
      'appctl status',
      'appctl logs --level error',
      'appctl doctor config.valid admin.weak-password audit.chain media.orphans jobs.time-zone store.brand-contrast',
      hidden('appctl settings set brand_color "#ffee00"'),
      { line: 'appctl doctor store.brand-contrast --strict', code: 8 },
      'appctl support archive --out support.tar.zst',
      { line: 'appctl support archive --out support.tar.zst', code: 5 },
      'appctl completion fish --install',
      'appctl docs man --out man',
      { line: 'appctl docs man licence', code: 3 },
    ];
  },
});
