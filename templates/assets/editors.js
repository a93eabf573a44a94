// Tables of fields that are filled in like a spreadsheet. All of it works without this file.
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

// ---- What is pasted: rows of a spreadsheet, whose cells may be quoted.
function cellsOf(text) {
  const rows = [[]];
  let [cell, isQuoted] = ['', false];
  const end = () => {
    rows.at(-1).push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at];
    if (isQuoted && one === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (isQuoted) {
      if (one === '"') isQuoted = false;
      else cell += one;
    } else if (one === '"' && cell === '') isQuoted = true;
    else if (one === '\t') end();
    else if (one === '\n') {
      end();
      rows.push([]);
    } else if (one !== '\r') cell += one;
  }
  end();
  if (rows.length > 1 && rows.at(-1).length === 1 && rows.at(-1)[0] === '') rows.pop();
  return rows;
}

const fieldIn = (row, column) => {
  const cell = row?.cells[column];
  return cell ? $('input:not([type=hidden]), select', cell) : null;
};
const placeOf = (field) => {
  const cell = field.closest('td');
  return { row: cell.parentElement, column: cell.cellIndex };
};
const bodyRows = (row) => [...row.parentElement.rows];

/** A choice takes what it offers, in any case; anything else stays for the server to judge. */
function put(field, value) {
  const text = value.replaceAll(/\s*\n\s*/g, ' ').trim();
  if (field.tagName !== 'SELECT') field.value = text;
  else {
    const option = [...field.options].find((one) => one.value.toLowerCase() === text.toLowerCase());
    if (!option) return false;
    field.value = option.value;
  }
  return true;
}

/** Compared with what is stored, where the page says so: it may show what is not saved yet. */
const isChanged = (field) => {
  if (field.dataset.was !== undefined) return field.value !== field.dataset.was;
  if (field.tagName !== 'SELECT') return field.value !== field.defaultValue;
  return ![...field.options].find((one) => one.selected)?.defaultSelected;
};

for (const form of $$('form[data-cells]')) {
  const table = $('table.editor', form);
  if (!table || !$('tbody input:not([type=hidden])', table)) continue;
  let [last, isSent] = [null, false];
  const bar = document.createElement('p');
  bar.className = 'editor-bar';
  const fill = document.createElement('button');
  fill.type = 'button';
  fill.className = 'quiet';
  fill.textContent = 'Fill down';
  const note = document.createElement('span');
  note.setAttribute('role', 'status');
  bar.append(fill, note);
  table.parentElement.before(bar);

  const fields = () => $$('tbody input:not([type=hidden]), tbody select', table);
  const tell = (said = '') => {
    let count = 0;
    for (const field of fields()) {
      const is = isChanged(field);
      field.closest('td').classList.toggle('changed', is);
      if (is) count += 1;
    }
    const unsaved = count === 0 ? '' : `${count} unsaved ${count === 1 ? 'change' : 'changes'}`;
    note.textContent = [said, unsaved].filter(Boolean).join(' · ');
    return count;
  };

  function paste(field, rows) {
    const { row, column } = placeOf(field);
    const below = bodyRows(row).slice(row.sectionRowIndex);
    let missed = 0;
    for (const [down, cells] of rows.entries())
      for (const [across, text] of cells.entries()) {
        const target = fieldIn(below[down], column + across);
        // A cell that stands in the first row of its product only is no loss further down.
        if (target) missed += put(target, text) ? 0 : 1;
        else if (!below[down]?.cells[column + across] && text.trim() !== '') missed += 1;
      }
    tell(missed === 0 ? '' : `${missed} pasted ${missed === 1 ? 'cell' : 'cells'} did not fit`);
  }

  function fillDown(field) {
    const { row, column } = placeOf(field);
    for (const other of bodyRows(row).slice(row.sectionRowIndex + 1)) {
      const target = fieldIn(other, column);
      if (target) put(target, field.value);
    }
    tell();
  }

  /** The next cell in a direction that can be filled in. */
  function move(field, down, across) {
    const { row, column } = placeOf(field);
    const rows = bodyRows(row);
    for (
      let [at, to] = [row.sectionRowIndex + down, column + across];
      rows[at]?.cells[to];
      at += down, to += across
    ) {
      const target = fieldIn(rows[at], to);
      if (!target) continue;
      target.focus();
      target.select?.();
      return true;
    }
    return false;
  }

  function follow(event, field) {
    const isText = field.tagName === 'INPUT';
    const [start, end] = isText ? [field.selectionStart, field.selectionEnd] : [0, 0];
    const isWhole = isText && start === 0 && end === field.value.length;
    if (event.key === 'Enter') return move(field, event.shiftKey ? -1 : 1, 0) || true;
    if (!isText || event.shiftKey || event.altKey) return false;
    if (event.key === 'ArrowDown') return move(field, 1, 0);
    if (event.key === 'ArrowUp') return move(field, -1, 0);
    if (event.key === 'ArrowLeft' && (isWhole || end === 0)) return move(field, 0, -1);
    if (event.key === 'ArrowRight' && (isWhole || start === field.value.length)) return move(field, 0, 1);
    return false;
  }

  table.addEventListener('focusin', ({ target }) => {
    if (target.closest('td') && target.matches('input, select')) last = target;
  });
  table.addEventListener('keydown', (event) => {
    const field = event.target;
    if (!field.matches('td input, td select')) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key === 'd') {
      event.preventDefault();
      fillDown(field);
    } else if (!isCommand && follow(event, field)) event.preventDefault();
  });
  table.addEventListener('paste', (event) => {
    const text = event.clipboardData.getData('text/plain');
    if (!event.target.matches('td input, td select') || !/[\t\n]/.test(text)) return;
    event.preventDefault();
    paste(event.target, cellsOf(text));
  });
  table.addEventListener('input', () => tell());
  fill.addEventListener('click', () => {
    if (!last) return tell('Choose the cell to copy first');
    fillDown(last);
    last.focus();
  });
  form.addEventListener('submit', () => {
    isSent = true;
  });
  document.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== 's') return;
    event.preventDefault();
    form.requestSubmit();
  });
  addEventListener('beforeunload', (event) => {
    if (!isSent && tell() > 0) event.preventDefault();
  });
  tell();
}
