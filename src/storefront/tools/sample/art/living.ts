import { box, type Colors, darker, gleam, group, lighter, line, oval, path, times } from './paint.ts';

export const vase = ({ main, accent }: Colors): string =>
  times(
    3,
    (at) =>
      line(`M 600 400q${(at - 1) * 60}-120 ${(at - 1) * 150}-240`, '#5c7a4f', 9) +
      times(4, (leaf) =>
        oval(
          [600 + (at - 1) * (34 + leaf * 34), 340 - leaf * 46, 36, 17],
          leaf % 2 ? '#7d9a68' : '#94b07d',
          `transform="rotate(${(at - 1) * 40 + (leaf % 2 ? 40 : -40)} ${600 + (at - 1) * (34 + leaf * 34)} ${340 - leaf * 46})"`,
        ),
      ),
  ) +
  path(
    'M 540 380h120c-10 90 130 150 130 320 0 150-60 230-190 230s-190-80-190-230c0-170 140-230 130-320z',
    'url(#m)',
  ) +
  oval([600, 380, 62, 18], darker(main, 0.5)) +
  line('M 424 640q176 60 352 0', accent, 16, 'opacity=".8"') +
  gleam('M 470 560q-50 140-10 280 20 30 30 26q-30-150 6-300z');

export const candle = ({ main, accent }: Colors): string =>
  oval([600, 300, 130, 150], '#ffd98a', 'opacity=".3"') +
  path('M 600 190c60 90 54 150 0 160-54-10-60-70 0-160z', '#ffb938') +
  path('M 600 250c26 46 24 84 0 92-24-8-26-46 0-92z', '#fff3cf') +
  line('M 600 350v80', '#30353c', 9) +
  path('M 390 430h420l-14 440c-4 44-80 60-196 60s-192-16-196-60z', 'url(#m)') +
  oval([600, 430, 210, 46], lighter(main, 0.5)) +
  oval([600, 436, 184, 34], '#fbf3df') +
  box([470, 590, 260, 190], 8, '#fbf7ef') +
  line('M 510 650h180M 540 690h120M 560 730h80', accent, 9) +
  gleam('M 424 500l22 380q14 10 26 12l-14-392z', 0.35);

export const lamp = ({ main, accent }: Colors): string =>
  oval([600, 560, 420, 240], '#ffe6ad', 'opacity=".3"') +
  box([582, 520, 36, 350], 12, 'url(#a)') +
  path('M 440 930c0-60 70-80 160-80s160 20 160 80z', 'url(#a)') +
  path('M 450 200h300l130 360H 320z', 'url(#m)') +
  oval([600, 560, 280, 40], '#ffe9bd') +
  oval([600, 200, 150, 24], darker(main, 0.15)) +
  gleam('M 476 220h46l-60 320h-90z', 0.3) +
  line('M 720 560v90', darker(accent, 0.2), 5) +
  oval([720, 660, 11, 11], accent);

export const blanket = ({ main, accent }: Colors): string =>
  times(3, (at) => {
    const y = 770 - at * 140;
    const fill = at === 1 ? 'url(#a)' : 'url(#v)';
    return (
      path(`M 300 ${y}h560c70 0 90 40 90 80s-20 80-90 80H 300c-60 0-80-40-80-80s20-80 80-80z`, fill) +
      times(12, (fringe) =>
        line(
          `M ${244 + (fringe % 2) * 8} ${y + 20 + fringe * 10}l-40 ${4 + fringe}`,
          at === 1 ? lighter(accent, 0.4) : lighter(main, 0.4),
          5,
        ),
      ) +
      line(
        `M 330 ${y + 46}h540M 330 ${y + 80}h550M 330 ${y + 114}h540`,
        at === 1 ? main : accent,
        8,
        'opacity=".55"',
      )
    );
  });

export const cushion = ({ main, accent }: Colors): string =>
  group(
    'rotate(-6 600 640)',
    path(
      'M 300 380c100 30 500 30 600 0 30 10 30 40 16 60-20 140-20 260 0 400 14 30 4 54-20 54-120-24-472-24-592 0-24 0-34-24-20-54 20-140 20-260 0-400-14-20-14-50 16-60z',
      'url(#m)',
    ) +
      times(5, (at) =>
        line(`M 330 ${470 + at * 84}q270 ${at % 2 ? 30 : -30} 540 0`, accent, 16, 'opacity=".75"'),
      ) +
      times(5, (at) =>
        line(`M 330 ${500 + at * 84}q270 ${at % 2 ? 30 : -30} 540 0`, lighter(main, 0.5), 5, 'opacity=".6"'),
      ) +
      gleam('M 330 420q120 40 200 30l-180 360q-30-200-20-390z', 0.16),
  );

export const pot = ({ accent }: Colors): string =>
  times(7, (at) => {
    const turn = (at - 3) * 24;
    return group(
      `rotate(${turn} 600 600)`,
      path('M 600 600c-70-130-60-300 0-420 60 120 70 290 0 420z', at % 2 ? '#4f7b57' : '#6b9a6b') +
        line('M 600 590V 230', '#3d6145', 6, 'opacity=".6"'),
    );
  }) +
  path('M 420 600h360l-40 290c-6 30-60 40-140 40s-134-10-140-40z', 'url(#m)') +
  box([396, 570, 408, 80], 22, 'url(#v)') +
  line('M 440 740q160 40 320 0', accent, 14, 'opacity=".8"') +
  gleam('M 450 670l26 220h30l-20-220z', 0.3);

export const clock = ({ main, accent }: Colors): string =>
  oval([600, 600, 340, 340], 'url(#w)') +
  oval([600, 600, 306, 306], lighter(main, 0.86)) +
  times(12, (at) =>
    group(`rotate(${at * 30} 600 600)`, box([592, 316, 16, at % 3 ? 36 : 62], 6, at % 3 ? '#8a929c' : main)),
  ) +
  group('rotate(-58 600 600)', box([588, 400, 24, 220], 10, '#30353c')) +
  group('rotate(62 600 600)', box([591, 340, 18, 280], 8, '#30353c')) +
  group('rotate(200 600 600)', box([596, 370, 8, 270], 4, accent)) +
  oval([600, 600, 22, 22], accent) +
  gleam('M 370 470q70-150 230-160v26q-130 10-200 146z', 0.5);

export const stool = ({ main, accent }: Colors): string =>
  line('M 440 560L 380 925M 760 560l60 365M 545 560l-20 340M 655 560l20 340', '#a87643', 36) +
  line('M 410 760h380', '#8a5f31', 24) +
  path('M 340 470c0-60 110-90 260-90s260 30 260 90-110 100-260 100-260-40-260-100z', 'url(#m)') +
  oval([600, 452, 250, 72], lighter(main, 0.22)) +
  line('M 360 480a250 80 0 0 0 480 0', accent, 8, 'opacity=".7"') +
  times(3, (at) => oval([520 + at * 80, 452, 8, 6], darker(main, 0.4)));

export const basket = ({ main, accent }: Colors): string =>
  line('M 380 560c-30-220 470-220 440 0', 'none', 0) +
  path('M 310 500h580l-60 390c-6 30-90 40-230 40s-224-10-230-40z', '#c79a62') +
  times(6, (row) =>
    times(11, (col) =>
      box(
        [324 + row * 9 + col * (51 - row * 1.6), 520 + row * 66, 44, 52],
        16,
        (row + col) % 2 ? '#b98649' : '#d9b27a',
      ),
    ),
  ) +
  box([290, 470, 620, 62], 30, 'url(#m)') +
  line('M 440 500c-10-120 70-130 80 0M 680 500c10-120 90-110 80 0', accent, 24) +
  path('M 400 470c60-110 340-120 400 0z', lighter(main, 0.45));

export const tote = ({ main, accent }: Colors): string =>
  line('M 480 480c-10-330 250-330 240 0', darker(accent, 0.15), 30) +
  path('M 330 450h540l50 430c4 40-20 50-60 50H 340c-40 0-64-10-60-50z', 'url(#m)') +
  path('M 330 450h540l8 70H 322z', darker(main, 0.2), 'opacity=".6"') +
  box([430, 600, 340, 230], 18, darker(main, 0.12), 'opacity=".55"') +
  line('M 430 640h340', accent, 8) +
  box([556, 690, 88, 62], 8, accent) +
  line('M 480 450l-6 150M 720 450l6 150', darker(accent, 0.15), 30) +
  gleam('M 352 470h40l-36 440h-40z', 0.2);

export const suitcase = ({ main, accent }: Colors): string =>
  line('M 500 260V 130h200v130', '#59616b', 26) +
  times(2, (at) => oval([440 + at * 320, 920, 44, 40], '#23282e')) +
  box([330, 250, 540, 650], 60, 'url(#m)') +
  times(6, (at) => box([392 + at * 76, 290, 26, 570], 12, darker(main, 0.22), 'opacity=".55"')) +
  box([330, 540, 540, 40], 0, accent, 'opacity=".9"') +
  box([552, 520, 96, 82], 16, '#e7eaee') +
  gleam('M 352 320q0-40 40-48h20q-24 20-24 60v480h-36z', 0.35);
