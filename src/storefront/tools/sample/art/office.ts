import { box, type Colors, darker, gleam, group, lighter, line, mix, oval, path, times } from './paint.ts';

export const notebook = ({ main, accent }: Colors): string =>
  group(
    'rotate(-9 600 600)',
    box([352, 238, 530, 744], 26, darker(main, 0.55)) +
      box([346, 232, 526, 738], 22, '#f4efe6') +
      times(4, (at) => line(`M 872 ${250 + at * 4}v${700}`, '#d8cfbe', 2)) +
      box([320, 220, 540, 740], 26, 'url(#m)') +
      box([320, 220, 62, 740], 20, darker(main, 0.3), 'opacity=".7"') +
      box([770, 220, 30, 740], 0, accent) +
      box([470, 400, 240, 120], 10, lighter(main, 0.75), 'opacity=".92"') +
      line('M 500 445h180M 530 480h120', main, 8, 'opacity=".7"') +
      path('M 430 960v70l24-24 24 24v-70z', accent),
  );

export const pens = (): string =>
  times(3, (at) =>
    group(
      `rotate(${-30 + at * 26} 600 640) translate(0 ${at === 1 ? -20 : 20})`,
      path('M 572 860h56l-20 90h-16z', '#d7c3a0') +
        path('M 590 930h20l-10 40z', '#23282e') +
        box([568, 330, 64, 540], 14, ['url(#m)', 'url(#a)', 'url(#k)'][at] ?? 'url(#m)') +
        box([566, 240, 68, 130], 26, 'url(#s)') +
        box([622, 250, 14, 180], 7, '#e7eaee') +
        gleam('M 580 390h12v450h-12z', 0.5),
    ),
  );

export const keyboard = ({ main, accent }: Colors): string =>
  group(
    'rotate(-7 600 620)',
    box([150, 420, 900, 400], 40, darker(main, 0.5)) +
      box([140, 400, 900, 396], 40, 'url(#v)') +
      times(4, (row) =>
        times(13 - (row === 3 ? 1 : 0), (col) => {
          const isAccent = (row === 0 && col === 0) || (row === 2 && col === 12);
          return (
            box(
              [176 + col * 65 + (row % 2) * 6, 438 + row * 80, 54, 64],
              12,
              darker(isAccent ? accent : lighter(main, 0.6), 0.2),
            ) +
            box(
              [176 + col * 65 + (row % 2) * 6, 432 + row * 80, 54, 58],
              12,
              isAccent ? accent : lighter(main, 0.62),
            )
          );
        }),
      ) +
      box([420, 672, 380, 58], 14, lighter(main, 0.75)),
  );

export const headphones = ({ main, accent }: Colors): string =>
  line('M 310 640c0-480 580-480 580 0', darker(main, 0.35), 62) +
  line('M 310 640c0-480 580-480 580 0', lighter(main, 0.12), 26) +
  box([240, 570, 150, 340], 70, 'url(#m)') +
  box([810, 570, 150, 340], 70, 'url(#m)') +
  box([360, 600, 76, 280], 38, 'url(#k)') +
  box([764, 600, 76, 280], 38, 'url(#k)') +
  times(2, (at) => oval([300 + at * 600, 740, 38, 76], accent)) +
  gleam('M 266 640q10-40 34-44l4 280q-30-10-38-60z', 0.35);

export const laptop = ({ main, accent }: Colors): string =>
  box([330, 250, 540, 370], 24, '#2a2f36') +
  box([352, 272, 496, 326], 10, mix(main, '#0f172a', 0.35)) +
  path('M 352 598l150-150 110 90 120-150 116 130v70c0 6-4 10-10 10z', lighter(main, 0.3), 'opacity=".9"') +
  oval([720, 350, 40, 40], accent) +
  path('M 270 620h660l40 60H 230z', 'url(#s)') +
  path('M 330 930l80-250h380l80 250h-70l-60-190H 460l-60 190z', 'url(#w)') +
  box([380, 670, 440, 46], 16, 'url(#w)');

export const deskLamp = ({ main, accent }: Colors): string =>
  path('M 330 420L 110 830h560L 470 460z', '#ffe6ad', 'opacity=".3"') +
  oval([720, 905, 210, 34], darker(main, 0.3)) +
  oval([720, 890, 210, 34], 'url(#m)') +
  line('M 720 880l130-330-310-210', 'none', 0) +
  line('M 720 880l140-320', '#4b525b', 30) +
  line('M 860 560L 500 330', '#4b525b', 30) +
  oval([860, 560, 36, 36], accent) +
  oval([720, 870, 34, 26], accent) +
  group(
    'rotate(36 460 330)',
    path('M 390 250h150l80 190H 310z', 'url(#m)') +
      oval([465, 440, 156, 26], '#ffe9bd') +
      box([420, 200, 90, 60], 24, darker(main, 0.3)),
  );

export const tray = ({ main, accent }: Colors): string =>
  box([220, 620, 760, 310], 34, 'url(#w)') +
  box([250, 590, 700, 60], 20, '#8a5f31') +
  times(3, (at) => box([280 + at * 226, 600, 190, 40], 14, '#5d3f20')) +
  times(4, (at) =>
    box(
      [310 + at * 42, 380 + (at % 2) * 40, 26, 240],
      12,
      ['url(#m)', 'url(#a)', 'url(#k)', 'url(#s)'][at] ?? 'url(#m)',
    ),
  ) +
  box([530, 440, 130, 180], 10, lighter(main, 0.7)) +
  box([550, 420, 130, 200], 10, lighter(accent, 0.6)) +
  box([750, 470, 160, 150], 30, 'url(#m)') +
  oval([830, 474, 76, 20], darker(main, 0.4)) +
  gleam('M 250 660h20v240h-20z', 0.3);

export const mat = ({ main, accent }: Colors): string =>
  group(
    'rotate(-10 600 620)',
    box([150, 360, 900, 520], 30, darker(main, 0.4)) +
      box([150, 350, 900, 520], 30, 'url(#v)') +
      `<rect x="172" y="372" width="856" height="476" rx="18" fill="none" stroke="${lighter(main, 0.4)}" stroke-width="5" stroke-dasharray="16 12"/>` +
      box([880, 760, 100, 56], 8, accent) +
      box([300, 440, 340, 210], 22, '#e9edf1') +
      times(3, (row) => times(7, (col) => box([322 + col * 44, 462 + row * 44, 34, 34], 7, '#c3cad2'))) +
      box([760, 470, 130, 190], 64, '#f4f6f8') +
      line('M 825 480v70', '#c3cad2', 6),
  );

export const bag = ({ main, accent }: Colors): string =>
  line('M 440 470c0-170 320-170 320 0', darker(accent, 0.2), 34) +
  box([210, 450, 780, 480], 60, 'url(#m)') +
  path('M 210 520c0-50 30-70 70-70h640c40 0 70 20 70 70v150c-220 90-560 90-780 0z', darker(main, 0.16)) +
  times(
    2,
    (at) =>
      box([360 + at * 420, 450, 60, 330], 8, darker(accent, 0.1)) +
      box([352 + at * 420, 640, 76, 90], 14, '#d8c08a'),
  ) +
  line('M 250 840h700', darker(main, 0.4), 7, 'stroke-dasharray="18 14" opacity=".6"') +
  gleam('M 236 540q0-60 40-66v420q-40-6-40-50z', 0.2);
