// The script of a report page. It sorts tables, zooms into charts, switches the scenario, and draws the market or series
// that is chosen in a list. What it needs is in the page: no network.
import { drawChart } from './charts.ts';

export const SCRIPT = `
const drawChart = ${drawChart.toString()};
const unpacked = async (text) => {
  const bytes = Uint8Array.from(atob(text.trim()), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).text();
};
const sortTables = (root) => {
  for (const table of root.querySelectorAll('table.sort')) {
    const body = table.tBodies[0];
    table.querySelectorAll('th button').forEach((button, column) => {
      let down = false;
      button.addEventListener('click', () => {
        down = !down;
        const value = (row) => {
          const cell = row.cells[column];
          return cell.dataset.v === undefined ? cell.textContent : cell.dataset.v === '' ? -Infinity : Number(cell.dataset.v);
        };
        const rows = [...body.rows].sort((a, b) => {
          const [x, y] = [value(a), value(b)];
          return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
        });
        body.append(...rows);
      });
    });
  }
};
const zoomCharts = (root) => {
  for (const chart of root.querySelectorAll('svg.zooms')) {
    const plot = chart.querySelector('.plot');
    const [left, top, width, height] = plot.getAttribute('viewBox').split(' ').map(Number);
    let [from, span] = [left, width];
    const show = () => {
      span = Math.min(width, Math.max(width / 200, span));
      from = Math.min(left + width - span, Math.max(left, from));
      plot.setAttribute('viewBox', [from, top, span, height].join(' '));
      chart.querySelectorAll('.mark').forEach((mark) => (mark.style.visibility = span < width ? 'hidden' : ''));
      plot.querySelectorAll('.dot').forEach((dot) => {
        const scale = span / width;
        dot.setAttribute('transform', 'translate(' + dot.getAttribute('cx') * (1 - scale) + ' 0) scale(' + scale + ' 1)');
      });
    };
    const at = (event) => from + ((event.clientX - plot.getBoundingClientRect().left) / plot.getBoundingClientRect().width) * span;
    const zoom = (middle, by) => {
      const share = (middle - from) / span;
      span *= by;
      span = Math.min(width, Math.max(width / 200, span));
      from = middle - share * span;
      show();
    };
    chart.addEventListener('wheel', (event) => { event.preventDefault(); zoom(at(event), event.deltaY > 0 ? 1.25 : 0.8); }, { passive: false });
    chart.addEventListener('dblclick', () => { [from, span] = [left, width]; show(); });
    const down = new Map();
    chart.addEventListener('pointerdown', (event) => { down.set(event.pointerId, event.clientX); chart.setPointerCapture(event.pointerId); });
    chart.addEventListener('pointermove', (event) => {
      if (!down.has(event.pointerId)) return;
      const before = [...down.values()];
      const moved = event.clientX - down.get(event.pointerId);
      down.set(event.pointerId, event.clientX);
      if (down.size === 2) {
        const now = [...down.values()];
        const [was, is] = [Math.abs(before[0] - before[1]), Math.abs(now[0] - now[1])];
        if (was > 0 && is > 0) zoom(at(event), was / is);
        return;
      }
      from -= (moved / plot.getBoundingClientRect().width) * span;
      show();
    });
    for (const name of ['pointerup', 'pointercancel']) chart.addEventListener(name, (event) => down.delete(event.pointerId));
  }
};
const valuesOf = ({ by, steps }) => {
  let sum = 0;
  return steps.map((step) => (step === null ? null : (sum += step) / by));
};
const escapedText = (text) => Object.assign(document.createElement('i'), { textContent: text }).innerHTML;
const csvLink = (name, rows) => {
  const field = (cell) => {
    const text = cell === null ? '' : String(cell);
    return /[",\\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const text = rows.map((row) => row.map(field).join(',') + '\\n').join('');
  return '<a class="csv" download="' + escapedText(name) + '.csv" href="data:text/csv;charset=utf-8,' + encodeURIComponent(text) + '">CSV</a>';
};
const fillRows = ({ x, t, price, risk, first }) => {
  const [shares, times, prices, risks, sides] = [x, t, price, risk, first].map(valuesOf);
  return shares.map((share, index) => ({ x: share, time: new Date(times[index]).toISOString(), price: prices[index], risk: risks[index], isFirst: sides[index] === 1 }));
};
const dotOf = ([first, second]) => ({ x, time, price, risk, isFirst }) => ({
  x,
  y: price,
  tone: isFirst ? 'c' : 'b',
  title: time + ': ' + (isFirst ? first : second) + ', $' + risk.toLocaleString('en-US', { minimumFractionDigits: 2 }) + ' at ' + (100 * price).toFixed(2),
});
const chosenHtml = ({ title, note, csv, columns, fills, x, t, lines, ...plan }) => {
  const [shares, times] = [valuesOf(x), valuesOf(t)];
  const values = lines.map(({ y }) => valuesOf(y));
  const filled = fills === undefined ? [] : fillRows(fills);
  const drawn = lines.map((line, index) => ({ ...line, points: values[index].map((value, point) => [shares[point], value]) }));
  return [
    title === undefined ? '' : '<h3>' + escapedText(title) + '</h3>',
    drawChart({ ...plan, lines: drawn, dots: filled.map(dotOf(fills === undefined ? [] : fills.sides)) }),
    note === undefined ? '' : '<p class="said">' + escapedText(note) + '</p>',
    csvLink(csv, [['time', ...columns], ...times.map((ms, point) => [new Date(ms).toISOString(), ...values.map((line) => line[point])])]),
    fills === undefined ? '' : csvLink('quoted-fills', [['time', 'price', 'first', 'risk'], ...filled.map(({ time, price, isFirst, risk }) => [time, price, String(isFirst), risk])]),
  ].join('\\n');
};
const beginChooser = async (data) => {
  const section = data.closest('section');
  const [box, chosen, heading] = ['.choose', '.chosen', 'h2'].map((name) => section.querySelector(name));
  const [search, list, status] = ['input', 'select', '.said'].map((name) => box.querySelector(name));
  const choices = JSON.parse(await unpacked(data.textContent));
  const words = choices.map(({ name }) => name.toLowerCase());
  let current = 0;
  const fill = () => {
    const wanted = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const found = choices.flatMap(({ name }, index) => (wanted.every((word) => words[index].includes(word)) ? [new Option(name, index, false, index === current)] : []));
    list.replaceChildren(...found);
    status.textContent = found.length === choices.length ? choices.length + ' in the list' : found.length + ' of ' + choices.length + ' in the list';
  };
  const show = () => {
    if (list.selectedIndex < 0) return;
    current = Number(list.value);
    const { heading: text, charts } = choices[current];
    heading.textContent = text;
    chosen.innerHTML = charts.map(chosenHtml).join('\\n');
    zoomCharts(chosen);
  };
  search.addEventListener('input', fill);
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || list.options.length === 0) return;
    list.selectedIndex = 0;
    show();
  });
  list.addEventListener('change', show);
  fill();
  box.hidden = false;
};
const begin = (root) => {
  sortTables(root);
  zoomCharts(root);
  if (typeof DecompressionStream === 'function') root.querySelectorAll('script.packed').forEach(beginChooser);
};
begin(document);
const panel = document.querySelector('.switch');
if (panel !== null && typeof DecompressionStream === 'function') {
  const main = document.querySelector('main');
  const pages = new Map([[main.dataset.scenario, main.innerHTML]]);
  panel.addEventListener('change', async ({ target }) => {
    const name = target.value;
    if (!pages.has(name)) pages.set(name, await unpacked(document.getElementById('scenario-' + name).textContent));
    // another one may have been chosen meanwhile
    if (!target.checked) return;
    main.dataset.scenario = name;
    main.innerHTML = pages.get(name);
    begin(main);
  });
  panel.hidden = false;
}
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((one) => (one.open = true)));
`;
