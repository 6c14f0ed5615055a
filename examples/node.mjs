// In JavaScript, over JSON lines, with nothing but Node: leadterms verify "cmd:node examples/node.mjs"
import { createInterface } from "node:readline";

const zeros = (rows, columns) => Array.from({ length: rows }, () => new Array(columns).fill(0));
const times = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((s, x, i) => s + x * b[i][j], 0)));
const transposed = (a) => a[0].map((_, j) => a.map((row) => row[j]));
const require = (holds, what) => { if (!holds) throw new Error(`give ${what}`); };
const shape = (rows) => String(rows.map((row) => row.length));
const dot = (a, b) => a.reduce((s, row, i) => s + row.reduce((r, x, j) => r + x * b[i][j], 0), 0);

function statistics({ tokens, vocab_size: V }) {
  const T = tokens[0].length - 1, NT = tokens.length * T;
  const B_bar = zeros(V, V), Phi_bar = zeros(V, V), Q_bar = zeros(V, V), Delta_bar = new Array(T).fill(0);
  require(T > 0 && tokens.every((row) => row.length === T + 1 && row.every((x) => x in B_bar)), "sequences");
  const positions = tokens.flatMap((row) => row.slice(0, T).map((_, t) => [row, t]));
  for (const [row, t] of positions)
    for (let j = 0; j < V; j++) {
      const residual = ((row[t + 1] === j) - 1 / V) / NT;
      B_bar[row[t]][j] += residual;
      for (let k = 0; k <= t; k++) Phi_bar[j][row[k]] += residual / (t + 1);
    }
  const Sigma_B = times(transposed(B_bar), B_bar), G_bar = times(Sigma_B, Phi_bar);
  for (const [row, t] of positions) {
    const pull = row.slice(0, t + 1).map((word) => G_bar[row[t + 1]][word]);
    const mean = pull.reduce((s, x) => s + x, 0) / (t + 1);
    pull.forEach((x, k) => {
      const evidence = (x - mean) / (t + 1) / NT;
      Q_bar[row[t]][row[k]] += evidence;
      Delta_bar[t - k] += evidence;
    });
  }
  return { B_bar, Phi_bar, Sigma_B, G_bar, Q_bar, Delta_bar };
}

function remove_projection({ weight, direction }) {
  require(shape(weight) === shape(direction), "a direction of the weight's shape");
  const norm = dot(direction, direction), along = norm ? dot(weight, direction) / norm : 0;
  return weight.map((row, i) => row.map((x, j) => x - along * direction[i][j]));
}

function induction_score({ attention, period }) {
  const T = attention.length, square = attention.every((row) => row.length === T);
  require(square && period > 0 && period < T, "a square map and a period below its size");
  const hits = attention.slice(period).map((row, i) => row[i + 1]);
  return hits.reduce((s, x) => s + x, 0) / hits.length;
}

const methods = { statistics, remove_projection, induction_score };
const describe = () => ({ name: "node", dtype: "float64", methods: Object.keys(methods) });

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "stop") break;
  try {
    const result = method === "describe" ? describe() : methods[method](params);
    console.log(JSON.stringify({ id, result }));
  } catch (error) {
    console.log(JSON.stringify({ id, error: String(error) }));
  }
}
