// The co-clustering heat map: a canvas, one pixel of an image to a pair, scaled into view.
figure("heat", (() => {
  let canvas = null, again = null, image = null, painted = "", view = null, cell = null, box = null, queued = false;
  const touches = new Map();

  const ramp = (style) => [0, 1, 2, 3, 4].map((i) => {
    const hex = style.getPropertyValue(`--ramp${i}`).trim();
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  });

  function paint(n, matrix, style) {
    const stops = ramp(style), key = stops.join();
    if (image && painted === key) return;
    painted = key;
    image = Object.assign(document.createElement("canvas"), { width: n, height: n });
    const context = image.getContext("2d"), pixels = context.createImageData(n, n);
    for (let i = 0; i < n * n; i++) {
      const place = clamp(finite(matrix[i]) ? matrix[i] : 0, 0, 1) * 4, s = Math.min(3, Math.floor(place)), part = place - s;
      for (let c = 0; c < 3; c++) pixels.data[4 * i + c] = Math.round(stops[s][c] + part * (stops[s + 1][c] - stops[s][c]));
      pixels.data[4 * i + 3] = finite(matrix[i]) ? 255 : 0;
    }
    context.putImageData(pixels, 0, 0);
  }

  return (host) => {
    if (again) return again();
    const { names, clusters, matrix } = data.co_clustering, n = names.length;
    const least = Math.min(n, 4), blocks = [];
    clusters.forEach((c, i) => {
      if (i && clusters[i - 1] === c) blocks[blocks.length - 1].to = i + 1;
      else blocks.push({ c, from: i, to: i + 1 });
    });
    view = { x: 0, y: 0, s: n };
    host.parentElement.style.maxWidth = `${clamp(n * 60 + 60, 320, 672)}px`;
    let plot = { left: 0, top: 0, side: 0 };

    function draw() {
      queued = false;
      const style = getComputedStyle(document.documentElement), css = (name) => style.getPropertyValue(name).trim();
      const size = sheet ? Math.min(sheet, 540) : Math.max(host.clientWidth, 200), dpr = Math.max(2, window.devicePixelRatio || 1);
      if (canvas.width !== Math.round(size * dpr)) canvas.width = canvas.height = Math.round(size * dpr);
      canvas.style.aspectRatio = "1";
      const g = canvas.getContext("2d");
      g.setTransform(dpr, 0, 0, dpr, 0, 0);
      g.clearRect(0, 0, size, size);
      g.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif";
      const named = (size - 120) / view.s >= 13;
      const space = named ? Math.min(size * 0.27, 150, Math.max(...names.map((s) => g.measureText(s.slice(0, 40)).width)) + 22) : 38;
      const left = space, top = 4, side = size - space - 4, unit = side / view.s, strip = 7;
      plot = { left, top, side, unit };
      paint(n, matrix, style);
      g.imageSmoothingEnabled = unit * dpr < 1;
      g.imageSmoothingQuality = "high";
      g.drawImage(image, view.x, view.y, view.s, view.s, left, top, side, side);

      const X = (i) => left + (i - view.x) * unit, Y = (i) => top + (i - view.y) * unit;
      const fit = (text, width) => {
        let s = text;
        while (s.length > 1 && g.measureText(s === text ? s : s + "\u2026").width > width) s = s.slice(0, -1);
        return s === text ? s : s + "\u2026";
      };
      g.textBaseline = "middle";
      for (const { c, from, to } of blocks) {
        g.fillStyle = css(`--c${c % 8}`);
        for (const across of [true, false]) {
          const at = across ? X : Y, edge = across ? left : top;
          const a = Math.max(at(from), edge), b = Math.min(at(to), edge + side);
          if (b <= a) continue;
          const length = Math.max(b - a - (blocks.length < side / 3 ? 1 : 0), 0.5);
          g.fillStyle = css(`--c${c % 8}`);
          if (across) g.fillRect(a, top + side + 3, length, strip); else g.fillRect(left - 3 - strip, a, strip, length);
          if (!named && b - a > 14) {
            g.fillStyle = css("--muted");
            g.textAlign = across ? "center" : "right";
            if (across) g.fillText(String(c), (a + b) / 2, top + side + 21); else g.fillText(String(c), left - 15, (a + b) / 2);
          }
        }
      }
      g.strokeStyle = css("--axis");
      g.lineWidth = 1;
      g.strokeRect(left - 0.5, top - 0.5, side + 1, side + 1);
      g.save();
      g.beginPath();
      g.rect(left, top, side, side);
      g.clip();
      g.globalAlpha = 0.55;
      g.lineWidth = 0.75;
      const seen = blocks.filter(({ from, to }) => from > 0 && to > Math.min(view.x, view.y) && from < Math.max(view.x, view.y) + view.s);
      if (seen.length <= 15) for (const { from } of seen) {
        g.beginPath();
        g.moveTo(X(from), top); g.lineTo(X(from), top + side);
        g.moveTo(left, Y(from)); g.lineTo(left + side, Y(from));
        g.stroke();
      }
      g.globalAlpha = 1;
      for (const [name, width] of [["--paper", 4], ["--ink", 1.5]]) {
        g.strokeStyle = css(name);
        g.lineWidth = width;
        if (cell) g.strokeRect(X(cell.j) - 0.5, Y(cell.i) - 0.5, Math.max(unit, 3) + 1, Math.max(unit, 3) + 1);
      }
      g.setLineDash([4, 3]);
      if (box) g.strokeRect(Math.min(box.x0, box.x1), Math.min(box.y0, box.y1), Math.abs(box.x1 - box.x0), Math.abs(box.y1 - box.y0));
      g.restore();
      if (named) {
        g.textAlign = "right";
        for (let k = 0; k < n; k++) {
          g.fillStyle = css(cell && cell.i === k ? "--ink" : "--muted");
          if (k + 0.5 > view.y && k + 0.5 < view.y + view.s) g.fillText(fit(names[k], space - 18), left - 14, Y(k + 0.5));
          if (!(k + 0.5 > view.x && k + 0.5 < view.x + view.s)) continue;
          g.fillStyle = css(cell && cell.j === k ? "--ink" : "--muted");
          g.save();
          g.translate(X(k + 0.5), top + side + 14);
          g.rotate(-Math.PI / 2);
          g.fillText(fit(names[k], space - 18), 0, 0);
          g.restore();
        }
      }
      canvas.classList.toggle("zoomed", view.s < n);
      $("heat-reset").disabled = view.s >= n;
    }

    const later = () => { if (!queued) { queued = true; requestAnimationFrame(draw); } };
    const place = (event) => {
      const r = canvas.getBoundingClientRect();
      return [event.clientX - r.left, event.clientY - r.top];
    };
    const look = (x, y, s) => {
      s = clamp(s, least, n);
      view = { x: clamp(x, 0, n - s), y: clamp(y, 0, n - s), s };
      later();
    };
    const zoom = (factor, px = plot.left + plot.side / 2, py = plot.top + plot.side / 2) => {
      const u = clamp((px - plot.left) / plot.side, 0, 1), v = clamp((py - plot.top) / plot.side, 0, 1), s = clamp(view.s / factor, least, n);
      look(view.x + u * (view.s - s), view.y + v * (view.s - s), s);
    };
    const tell = () => {
      const r = canvas.getBoundingClientRect(), { i, j } = cell;
      const x = clamp(plot.left + (j + 0.5 - view.x) * plot.unit, 0, r.width), y = clamp(plot.top + (i + 0.5 - view.y) * plot.unit, 0, r.height);
      const both = clusters[i] === clusters[j] ? `both in cluster ${clusters[i]}` : `clusters ${clusters[i]} and ${clusters[j]}`;
      showTip(window.scrollX + r.left + x, window.scrollY + r.top + y, [i === j ? names[i] : names[i] + "\n" + names[j], `together with probability ${show(matrix[i * n + j])}`, both]);
    };
    const point = (event) => {
      const [px, py] = place(event), j = Math.floor(view.x + (px - plot.left) / plot.unit), i = Math.floor(view.y + (py - plot.top) / plot.unit);
      const inside = px >= plot.left && py >= plot.top && px < plot.left + plot.side && py < plot.top + plot.side && i < n && j < n;
      cell = inside ? { i, j } : null;
      if (cell) tell(); else hideTip();
      later();
    };

    canvas = host.appendChild(document.createElement("canvas"));
    for (const [key, value] of [["role", "img"], ["tabindex", "0"], ["aria-label", host.dataset.label]]) canvas.setAttribute(key, value);
    let start = null, gap = 0, middle = null;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      touches.set(event.pointerId, place(event));
      start = { at: place(event), view };
      gap = 0;
      if (event.pointerType === "touch") point(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      const at = place(event), touch = event.pointerType === "touch";
      if (touches.has(event.pointerId)) touches.set(event.pointerId, at);
      if (touches.size >= 2) {
        const [a, b] = [...touches.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]), m = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
        if (gap) {
          zoom(now / gap, m[0], m[1]);
          look(view.x - (m[0] - middle[0]) / plot.unit, view.y - (m[1] - middle[1]) / plot.unit, view.s);
        }
        [gap, middle, start, box] = [now, m, null, null];
        hideTip();
      } else if (start && (touch || event.shiftKey)) {
        if (view.s < n) look(start.view.x - (at[0] - start.at[0]) / plot.unit, start.view.y - (at[1] - start.at[1]) / plot.unit, view.s);
      } else if (start && Math.hypot(at[0] - start.at[0], at[1] - start.at[1]) > 5) {
        box = { x0: start.at[0], y0: start.at[1], x1: at[0], y1: at[1] };
        cell = null;
        hideTip();
        later();
      } else if (!start) point(event);
    });
    const end = (event) => {
      const at = place(event), mouse = event.pointerType !== "touch";
      touches.delete(event.pointerId);
      if (event.type === "pointerup" && mouse && start) {
        if (box) {
          const s = Math.ceil(Math.max(Math.abs(box.x1 - box.x0), Math.abs(box.y1 - box.y0)) / plot.unit);
          const first = (from, edge, pixel) => Math.floor(from + (pixel - edge) / plot.unit);
          look(first(view.x, plot.left, Math.min(box.x0, box.x1)), first(view.y, plot.top, Math.min(box.y0, box.y1)), s);
        } else if (!event.shiftKey) {
          zoom(2, ...at);
          hideTip();
        }
      }
      start = box = null;
      later();
    };
    // One finger scrolls the page, two belong to the map.
    const both = (event) => { if (event.touches.length > 1) event.preventDefault(); };
    for (const type of ["touchstart", "touchmove"]) canvas.addEventListener(type, both, { passive: false });
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "touch") return;
      cell = null;
      hideTip();
      later();
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && view.s >= n) return;
      event.preventDefault();
      zoom(Math.exp(-clamp(event.deltaY, -60, 60) / 120), ...place(event));
      point(event);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (step) {
        cell = cell || { i: Math.floor(view.y), j: Math.floor(view.x) };
        cell = { i: clamp(cell.i + step[0], 0, n - 1), j: clamp(cell.j + step[1], 0, n - 1) };
        look(clamp(view.x, cell.j + 1 - view.s, cell.j), clamp(view.y, cell.i + 1 - view.s, cell.i), view.s);
        tell();
      } else if (event.key === "+" || event.key === "=") zoom(1.5);
      else if (event.key === "-") zoom(1 / 1.5);
      else if (event.key === "0" || event.key === "Escape") look(0, 0, n);
      else return;
      event.preventDefault();
    });
    canvas.addEventListener("blur", () => { cell = null; hideTip(); later(); });
    $("heat-in").addEventListener("click", () => zoom(1.6));
    $("heat-out").addEventListener("click", () => zoom(1 / 1.6));
    $("heat-reset").addEventListener("click", () => look(0, 0, n));
    again = draw;
    draw();
  };
})());
