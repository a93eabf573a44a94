import { box, type Colors, darker, gleam, group, lighter, line, oval, path, times } from './paint.ts';

export const mug = ({ main, accent }: Colors): string =>
  line('M 735 590c150-20 160 210-10 220', darker(main, 0.15), 46) +
  line('M 735 590c150-20 160 210-10 220', lighter(main, 0.1), 20) +
  path('M 370 470h380v370c0 60-60 92-190 92s-190-32-190-92z', 'url(#m)') +
  oval([560, 470, 190, 46], darker(main, 0.5)) +
  oval([560, 478, 168, 34], '#3b2416') +
  line('M 370 470a190 46 0 0 1 380 0', accent, 14) +
  gleam('M 415 560q-8 160 14 290q26 14 30 8q-22-140-14-290z');

export const bottle = ({ accent }: Colors): string =>
  box([535, 190, 130, 110], 22, 'url(#k)') +
  line('M 545 196c0-70 110-70 110 0', darker(accent, 0.1), 22) +
  path(
    'M 520 300h160c0 60 60 80 60 150v430c0 40-30 52-140 52s-140-12-140-52V 450c0-70 60-90 60-150z',
    'url(#m)',
  ) +
  box([460, 640, 280, 74], 0, accent, 'opacity=".9"') +
  gleam('M 492 470q-6 190 4 400q14 18 26 18q-12-220-6-420z', 0.45);

export const kettle = ({ main }: Colors): string =>
  line('M 410 520c10-240 370-240 380 0', '#2b3036', 34) +
  path('M 400 560l-170-90c-30-14-50 24-24 44l190 160z', 'url(#m)') +
  path('M 400 560c0-70 90-110 200-110s200 40 200 110l50 290c8 56-80 82-250 82s-258-26-250-82z', 'url(#m)') +
  oval([600, 470, 130, 28], darker(main, 0.35)) +
  oval([600, 452, 104, 22], 'url(#m)') +
  oval([600, 428, 26, 22], '#2b3036') +
  gleam('M 440 600q-30 130-34 240q20 20 40 22q2-130 34-260z');

export const pan = ({ main }: Colors): string =>
  group(
    'rotate(-38 600 600)',
    box([880, 560, 330, 80], 38, 'url(#w)') +
      oval([600, 600, 320, 320], darker(main, 0.2)) +
      oval([600, 600, 300, 300], 'url(#m)') +
      oval([600, 600, 246, 246], darker(main, 0.28)) +
      oval([592, 590, 236, 236], 'url(#k)') +
      times(
        5,
        (at) =>
          `<circle cx="600" cy="600" r="${60 + at * 38}" fill="none" stroke="#fff" opacity=".06" stroke-width="3"/>`,
      ),
  );

export const bowls = ({ main, accent }: Colors): string =>
  times(3, (at) => {
    const y = 770 - at * 110;
    const width = 300 - at * 26;
    const color = at === 1 ? 'url(#a)' : 'url(#m)';
    return (
      path(
        `M ${600 - width} ${y}h${width * 2}c0 110-110 160-${width} 160s-${width}-50-${width}-160z`,
        color,
      ) +
      oval([600, y, width, 42 - at * 4], at === 1 ? darker(accent, 0.3) : darker(main, 0.3)) +
      oval([600, y + 8, width - 18, 32 - at * 4], at === 1 ? lighter(accent, 0.35) : lighter(main, 0.35))
    );
  });

export const board = ({ accent }: Colors): string =>
  group(
    'rotate(-14 600 600)',
    path(
      'M 400 300h400c34 0 60 26 60 60v480c0 34-26 60-60 60H 400c-34 0-60-26-60-60V 360c0-34 26-60 60-60z',
      'url(#w)',
    ) +
      box([530, 170, 140, 180], 60, 'url(#w)') +
      oval([600, 230, 30, 30], '#6d4a25') +
      times(6, (at) =>
        line(`M ${390 + at * 84} 330q${at % 2 ? 26 : -22} 270 0 540`, '#8a5f31', 5, 'opacity=".5"'),
      ) +
      box([340, 790, 520, 40], 0, accent, 'opacity=".85"'),
  );

export const knife = ({ main }: Colors): string =>
  group(
    'rotate(-32 600 600)',
    path('M 180 560h590v110H 330c-90 0-140-60-150-110z', 'url(#s)') +
      path('M 180 560h590v26H 196z', '#fff', 'opacity=".55"') +
      box([765, 548, 330, 96], 40, 'url(#m)') +
      times(3, (at) => oval([850 + at * 90, 596, 15, 15], lighter(main, 0.6))),
  );

export const grinder = (): string =>
  box([560, 160, 330, 36], 18, 'url(#s)') +
  oval([880, 158, 44, 44], 'url(#w)') +
  box([572, 178, 40, 110], 10, 'url(#s)') +
  path('M 440 300c0-60 90-80 160-80s160 20 160 80z', 'url(#s)') +
  box([440, 300, 320, 330], 26, 'url(#m)') +
  box([455, 630, 290, 300], 30, 'url(#w)') +
  gleam('M 476 320h34v290h-34z', 0.35);

export const towels = ({ main, accent }: Colors): string =>
  times(3, (at) => {
    const y = 760 - at * 150;
    const fill = at === 1 ? 'url(#a)' : 'url(#v)';
    const stripe = at === 1 ? main : accent;
    return (
      box([290 + at * 14, y, 620 - at * 28, 160], 46, fill) +
      box([290 + at * 14, y + 96, 620 - at * 28, 18], 0, stripe, 'opacity=".75"') +
      line(`M ${320 + at * 14} ${y + 60}q280 26 ${560 - at * 28} 0`, '#fff', 6, 'opacity=".3"')
    );
  });
