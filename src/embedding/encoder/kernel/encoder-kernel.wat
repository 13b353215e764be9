;; The arithmetic of a small encoder: products with matrices of 8-bit integers, attention, normalisation. Everything lies in one memory, addresses
;; are bytes, numbers f32 unless said otherwise, rows one after the other. Compiled into encoder-kernel-module.ts by `npm run generate`.
(module
  (memory (export "memory") 1 65535)

  ;; e^x of four numbers: 2^n by the exponent's bits, 2^f by the series of degree 5, f in [-.5, .5]; relative error below 3e-6.
  (func $exp (param $x v128) (result v128)
    (local $n v128)
    (local $f v128)
    (local.set $x (f32x4.mul
      (f32x4.max (f32x4.min (local.get $x) (v128.const f32x4 87 87 87 87)) (v128.const f32x4 -87 -87 -87 -87))
      (v128.const f32x4 1.4426950 1.4426950 1.4426950 1.4426950)))
    (local.set $n (f32x4.nearest (local.get $x)))
    (local.set $f (f32x4.sub (local.get $x) (local.get $n)))
    (f32x4.mul
      (i32x4.shl (i32x4.add (i32x4.trunc_sat_f32x4_s (local.get $n)) (v128.const i32x4 127 127 127 127)) (i32.const 23))
      (f32x4.add (v128.const f32x4 1 1 1 1) (f32x4.mul (local.get $f)
        (f32x4.add (v128.const f32x4 0.69314718 0.69314718 0.69314718 0.69314718) (f32x4.mul (local.get $f)
          (f32x4.add (v128.const f32x4 0.24022651 0.24022651 0.24022651 0.24022651) (f32x4.mul (local.get $f)
            (f32x4.add (v128.const f32x4 0.05550411 0.05550411 0.05550411 0.05550411) (f32x4.mul (local.get $f)
              (f32x4.add (v128.const f32x4 0.00961813 0.00961813 0.00961813 0.00961813)
                (f32x4.mul (local.get $f) (v128.const f32x4 0.00133336 0.00133336 0.00133336 0.00133336)))))))))))))

  ;; The sums of four vectors of four integers.
  (func $sums (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result v128)
    (local.set $a (i32x4.add
      (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $a) (local.get $b))
      (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $a) (local.get $b))))
    (local.set $c (i32x4.add
      (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $c) (local.get $d))
      (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $c) (local.get $d))))
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $a) (local.get $c))
      (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $a) (local.get $c))))

  (func $sum (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  (func $greatest (param $v v128) (result f32)
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.max (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; Rows of $width numbers (a multiple of 8) as 16-bit integers of at most $most at $to, their scales at $scales. With at most 8,191
  ;; 1,536 products with 8-bit integers stay below 2^31.
  (func (export "quantise") (param $x i32) (param $rows i32) (param $width i32) (param $most f32) (param $to i32) (param $scales i32)
    (local $at i32) (local $end i32) (local $max v128) (local $factor v128) (local $greatest f32)
    (loop $row
      (local.set $max (v128.const f32x4 0 0 0 0))
      (local.set $at (local.get $x))
      (local.set $end (i32.add (local.get $x) (i32.shl (local.get $width) (i32.const 2))))
      (loop $step
        (local.set $max (f32x4.max (local.get $max) (f32x4.abs (v128.load (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $step (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $greatest (f32.max (call $greatest (local.get $max)) (f32.const 1e-20)))
      (f32.store (local.get $scales) (f32.div (local.get $greatest) (local.get $most)))
      (local.set $factor (f32x4.splat (f32.div (local.get $most) (local.get $greatest))))
      (loop $step
        (v128.store (local.get $to) (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $factor) (v128.load (local.get $x)))))
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $factor) (v128.load offset=16 (local.get $x)))))))
        (local.set $to (i32.add (local.get $to) (i32.const 16)))
        (local.set $x (i32.add (local.get $x) (i32.const 32)))
        (br_if $step (i32.lt_u (local.get $x) (local.get $end))))
      (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
      (local.set $rows (i32.sub (local.get $rows) (i32.const 1)))
      (br_if $row (local.get $rows))))

  ;; $y = $x times the transposed matrix $w, plus $bias: $rows of $x (16-bit integers, an even number) and $outputs of $w (8-bit, a multiple of
  ;; 4), each of $width (a multiple of 8) and with a scale. Four outputs of two rows at a time, so that a loaded number serves several products.
  (func (export "project")
    (param $x i32) (param $xScales i32) (param $rows i32) (param $width i32)
    (param $w i32) (param $wScales i32) (param $outputs i32) (param $bias i32) (param $y i32)
    (local $k i32) (local $row i32) (local $output i32) (local $stride i32)
    (local $x0 i32) (local $x1 i32) (local $w0 i32) (local $w1 i32) (local $w2 i32) (local $w3 i32) (local $to i32)
    (local $a v128) (local $b v128) (local $v v128) (local $scale v128) (local $shift v128)
    (local $a0 v128) (local $a1 v128) (local $a2 v128) (local $a3 v128)
    (local $b0 v128) (local $b1 v128) (local $b2 v128) (local $b3 v128)
    (local.set $stride (i32.shl (local.get $outputs) (i32.const 2)))
    (loop $block
      (local.set $scale (v128.load (i32.add (local.get $wScales) (i32.shl (local.get $output) (i32.const 2)))))
      (local.set $shift (v128.load (i32.add (local.get $bias) (i32.shl (local.get $output) (i32.const 2)))))
      (local.set $row (i32.const 0))
      (local.set $x1 (local.get $x))
      (local.set $to (i32.add (local.get $y) (i32.shl (local.get $output) (i32.const 2))))
      (loop $pair
        (local.set $x0 (local.get $x1))
        (local.set $x1 (i32.add (local.get $x0) (i32.shl (local.get $width) (i32.const 1))))
        (local.set $w0 (local.get $w))
        (local.set $w1 (i32.add (local.get $w0) (local.get $width)))
        (local.set $w2 (i32.add (local.get $w1) (local.get $width)))
        (local.set $w3 (i32.add (local.get $w2) (local.get $width)))
        (local.set $a0 (v128.const i32x4 0 0 0 0)) (local.set $a1 (local.get $a0))
        (local.set $a2 (local.get $a0)) (local.set $a3 (local.get $a0))
        (local.set $b0 (local.get $a0)) (local.set $b1 (local.get $a0))
        (local.set $b2 (local.get $a0)) (local.set $b3 (local.get $a0))
        (local.set $k (local.get $width))
        (loop $step
          (local.set $a (v128.load (local.get $x0)))
          (local.set $b (v128.load (local.get $x1)))
          (local.set $v (v128.load8x8_s (local.get $w0)))
          (local.set $a0 (i32x4.add (local.get $a0) (i32x4.dot_i16x8_s (local.get $v) (local.get $a))))
          (local.set $b0 (i32x4.add (local.get $b0) (i32x4.dot_i16x8_s (local.get $v) (local.get $b))))
          (local.set $v (v128.load8x8_s (local.get $w1)))
          (local.set $a1 (i32x4.add (local.get $a1) (i32x4.dot_i16x8_s (local.get $v) (local.get $a))))
          (local.set $b1 (i32x4.add (local.get $b1) (i32x4.dot_i16x8_s (local.get $v) (local.get $b))))
          (local.set $v (v128.load8x8_s (local.get $w2)))
          (local.set $a2 (i32x4.add (local.get $a2) (i32x4.dot_i16x8_s (local.get $v) (local.get $a))))
          (local.set $b2 (i32x4.add (local.get $b2) (i32x4.dot_i16x8_s (local.get $v) (local.get $b))))
          (local.set $v (v128.load8x8_s (local.get $w3)))
          (local.set $a3 (i32x4.add (local.get $a3) (i32x4.dot_i16x8_s (local.get $v) (local.get $a))))
          (local.set $b3 (i32x4.add (local.get $b3) (i32x4.dot_i16x8_s (local.get $v) (local.get $b))))
          (local.set $x0 (i32.add (local.get $x0) (i32.const 16)))
          (local.set $x1 (i32.add (local.get $x1) (i32.const 16)))
          (local.set $w0 (i32.add (local.get $w0) (i32.const 8)))
          (local.set $w1 (i32.add (local.get $w1) (i32.const 8)))
          (local.set $w2 (i32.add (local.get $w2) (i32.const 8)))
          (local.set $w3 (i32.add (local.get $w3) (i32.const 8)))
          (br_if $step (local.tee $k (i32.sub (local.get $k) (i32.const 8)))))
        (v128.store (local.get $to) (f32x4.add (local.get $shift) (f32x4.mul
          (f32x4.mul (local.get $scale) (v128.load32_splat (i32.add (local.get $xScales) (i32.shl (local.get $row) (i32.const 2)))))
          (f32x4.convert_i32x4_s (call $sums (local.get $a0) (local.get $a1) (local.get $a2) (local.get $a3))))))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (v128.store (local.get $to) (f32x4.add (local.get $shift) (f32x4.mul
          (f32x4.mul (local.get $scale) (v128.load32_splat offset=4 (i32.add (local.get $xScales) (i32.shl (local.get $row) (i32.const 2)))))
          (f32x4.convert_i32x4_s (call $sums (local.get $b0) (local.get $b1) (local.get $b2) (local.get $b3))))))
        (local.set $to (i32.add (local.get $to) (local.get $stride)))
        (local.set $row (i32.add (local.get $row) (i32.const 2)))
        (br_if $pair (i32.lt_u (local.get $row) (local.get $rows))))
      (local.set $w (i32.add (local.get $w) (i32.shl (local.get $width) (i32.const 2))))
      (local.set $output (i32.add (local.get $output) (i32.const 4)))
      (br_if $block (i32.lt_u (local.get $output) (local.get $outputs)))))

  ;; GELU of $count numbers (a multiple of 4) in place (Hendrycks and Gimpel 2016): x (1 - e^(-x^2 / 2) P(t) / 2) for x above 0 and x e^(-x^2 / 2) P(t) / 2
  ;; below, t = 1 / (1 + .3275911 |x| / 2^.5), by Abramowitz and Stegun 7.1.26 (error of erf below 1.5e-7).
  (func (export "gelu") (param $x i32) (param $count i32)
    (local $end i32) (local $v v128) (local $t v128) (local $tail v128)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (loop $step
      (local.set $v (v128.load (local.get $x)))
      (local.set $t (f32x4.div (v128.const f32x4 1 1 1 1) (f32x4.add (v128.const f32x4 1 1 1 1)
        (f32x4.mul (v128.const f32x4 0.23164190 0.23164190 0.23164190 0.23164190) (f32x4.abs (local.get $v))))))
      (local.set $tail (f32x4.mul
        (call $exp (f32x4.mul (v128.const f32x4 -0.5 -0.5 -0.5 -0.5) (f32x4.mul (local.get $v) (local.get $v))))
        (f32x4.mul (local.get $t)
          (f32x4.add (v128.const f32x4 0.12741480 0.12741480 0.12741480 0.12741480) (f32x4.mul (local.get $t)
            (f32x4.add (v128.const f32x4 -0.14224837 -0.14224837 -0.14224837 -0.14224837) (f32x4.mul (local.get $t)
              (f32x4.add (v128.const f32x4 0.71070687 0.71070687 0.71070687 0.71070687) (f32x4.mul (local.get $t)
                (f32x4.add (v128.const f32x4 -0.72657601 -0.72657601 -0.72657601 -0.72657601)
                  (f32x4.mul (local.get $t) (v128.const f32x4 0.53070271 0.53070271 0.53070271 0.53070271))))))))))))
      (v128.store (local.get $x) (f32x4.mul (local.get $v) (v128.bitselect
        (local.get $tail)
        (f32x4.sub (v128.const f32x4 1 1 1 1) (local.get $tail))
        (f32x4.lt (local.get $v) (v128.const f32x4 0 0 0 0)))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (br_if $step (i32.lt_u (local.get $x) (local.get $end)))))

  ;; Layer normalisation (Ba, Kiros and Hinton 2016) of the sums of $rows of $x and $add, in place of $x. $width is a multiple of 4.
  (func (export "normalise")
    (param $x i32) (param $add i32) (param $rows i32) (param $width i32) (param $weight i32) (param $bias i32) (param $epsilon f32)
    (local $at i32) (local $to i32) (local $bytes i32) (local $v v128) (local $s v128) (local $mean v128) (local $factor v128)
    (local.set $bytes (i32.shl (local.get $width) (i32.const 2)))
    (loop $row
      (local.set $s (v128.const f32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $step
        (local.set $to (i32.add (local.get $x) (local.get $at)))
        (local.set $v (f32x4.add (v128.load (local.get $to)) (v128.load (i32.add (local.get $add) (local.get $at)))))
        (v128.store (local.get $to) (local.get $v))
        (local.set $s (f32x4.add (local.get $s) (local.get $v)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $step (i32.lt_u (local.get $at) (local.get $bytes))))
      (local.set $mean (f32x4.splat (f32.div (call $sum (local.get $s)) (f32.convert_i32_u (local.get $width)))))
      (local.set $s (v128.const f32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $step
        (local.set $v (f32x4.sub (v128.load (i32.add (local.get $x) (local.get $at))) (local.get $mean)))
        (local.set $s (f32x4.add (local.get $s) (f32x4.mul (local.get $v) (local.get $v))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $step (i32.lt_u (local.get $at) (local.get $bytes))))
      (local.set $factor (f32x4.splat (f32.div (f32.const 1) (f32.sqrt (f32.add (local.get $epsilon)
        (f32.div (call $sum (local.get $s)) (f32.convert_i32_u (local.get $width))))))))
      (local.set $at (i32.const 0))
      (loop $step
        (local.set $to (i32.add (local.get $x) (local.get $at)))
        (v128.store (local.get $to) (f32x4.add (v128.load (i32.add (local.get $bias) (local.get $at)))
          (f32x4.mul (v128.load (i32.add (local.get $weight) (local.get $at)))
            (f32x4.mul (local.get $factor) (f32x4.sub (v128.load (local.get $to)) (local.get $mean))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $step (i32.lt_u (local.get $at) (local.get $bytes))))
      (local.set $x (i32.add (local.get $x) (local.get $bytes)))
      (local.set $add (i32.add (local.get $add) (local.get $bytes)))
      (br_if $row (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; One head of attention (Vaswani et al. 2017) of $head bytes (a multiple of 128, 32 numbers): queries, keys and values of $rows stand $stride bytes
  ;; apart, at $q, $q + $width and $q + 2 $width bytes; the outcome $width bytes apart at $to. Scores are multiplied by $factor. At $keys and $scores is
  ;; space for as many rows as a head has numbers and for 1 row of $padded numbers, the next multiple of 16 from $rows on.
  (func (export "attend")
    (param $head i32) (param $factor f32) (param $q i32) (param $stride i32) (param $width i32) (param $rows i32) (param $padded i32) (param $keys i32) (param $scores i32) (param $to i32)
    (local $row i32) (local $at i32) (local $end i32) (local $d i32) (local $step i32) (local $k i32) (local $v i32) (local $query i32)
    (local $p v128) (local $max v128) (local $total v128) (local $greatest f32)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local $s4 v128) (local $s5 v128) (local $s6 v128) (local $s7 v128)
    (local.set $step (i32.shl (local.get $padded) (i32.const 2)))
    ;; Keys, a number of all rows after the other.
    (local.set $k (i32.add (local.get $q) (local.get $width)))
    (loop $key
      (local.set $d (i32.const 0))
      (local.set $at (i32.add (local.get $keys) (i32.shl (local.get $row) (i32.const 2))))
      (loop $number
        (f32.store (local.get $at) (f32.load (i32.add (local.get $k) (local.get $d))))
        (local.set $at (i32.add (local.get $at) (local.get $step)))
        (br_if $number (i32.lt_u (local.tee $d (i32.add (local.get $d) (i32.const 4))) (local.get $head))))
      (local.set $k (i32.add (local.get $k) (local.get $stride)))
      (br_if $key (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $rows))))
    (local.set $query (local.get $q))
    (local.set $row (i32.const 0))
    (local.set $end (i32.add (local.get $scores) (i32.shl (local.get $rows) (i32.const 2))))
    (loop $row_
      ;; Scores, sixteen at a time.
      (local.set $at (i32.const 0))
      (loop $block
        (local.set $s0 (v128.const f32x4 0 0 0 0)) (local.set $s1 (local.get $s0))
        (local.set $s2 (local.get $s0)) (local.set $s3 (local.get $s0))
        (local.set $k (i32.add (local.get $keys) (local.get $at)))
        (local.set $d (i32.const 0))
        (loop $number
          (local.set $p (v128.load32_splat (i32.add (local.get $query) (local.get $d))))
          (local.set $s0 (f32x4.add (local.get $s0) (f32x4.mul (local.get $p) (v128.load (local.get $k)))))
          (local.set $s1 (f32x4.add (local.get $s1) (f32x4.mul (local.get $p) (v128.load offset=16 (local.get $k)))))
          (local.set $s2 (f32x4.add (local.get $s2) (f32x4.mul (local.get $p) (v128.load offset=32 (local.get $k)))))
          (local.set $s3 (f32x4.add (local.get $s3) (f32x4.mul (local.get $p) (v128.load offset=48 (local.get $k)))))
          (local.set $k (i32.add (local.get $k) (local.get $step)))
          (br_if $number (i32.lt_u (local.tee $d (i32.add (local.get $d) (i32.const 4))) (local.get $head))))
        (local.set $v (i32.add (local.get $scores) (local.get $at)))
        (v128.store (local.get $v) (local.get $s0))
        (v128.store offset=16 (local.get $v) (local.get $s1))
        (v128.store offset=32 (local.get $v) (local.get $s2))
        (v128.store offset=48 (local.get $v) (local.get $s3))
        (br_if $block (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (local.get $step))))
      ;; No row stands behind the last.
      (local.set $at (local.get $end))
      (block $full
        (loop $tail
          (br_if $full (i32.ge_u (local.get $at) (i32.add (local.get $scores) (local.get $step))))
          (f32.store (local.get $at) (f32.const -1e30))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (br $tail)))
      ;; Softmax; the sum divides the outcome.
      (local.set $max (v128.const f32x4 -1e30 -1e30 -1e30 -1e30))
      (local.set $at (local.get $scores))
      (loop $number
        (local.set $max (f32x4.max (local.get $max) (v128.load (local.get $at))))
        (br_if $number (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (i32.add (local.get $scores) (local.get $step)))))
      (local.set $max (f32x4.splat (call $greatest (local.get $max))))
      (local.set $total (v128.const f32x4 0 0 0 0))
      (local.set $at (local.get $scores))
      (loop $number
        (local.set $p (call $exp (f32x4.mul (f32x4.splat (local.get $factor))
          (f32x4.sub (v128.load (local.get $at)) (local.get $max)))))
        (v128.store (local.get $at) (local.get $p))
        (local.set $total (f32x4.add (local.get $total) (local.get $p)))
        (br_if $number (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (i32.add (local.get $scores) (local.get $step)))))
      (local.set $total (f32x4.splat (f32.div (f32.const 1) (call $sum (local.get $total)))))
      ;; Values by their weights, 32 numbers at a time.
      (local.set $d (i32.const 0))
      (loop $part
        (local.set $s0 (v128.const f32x4 0 0 0 0)) (local.set $s1 (local.get $s0)) (local.set $s2 (local.get $s0)) (local.set $s3 (local.get $s0))
        (local.set $s4 (local.get $s0)) (local.set $s5 (local.get $s0)) (local.set $s6 (local.get $s0)) (local.set $s7 (local.get $s0))
        (local.set $v (i32.add (i32.add (local.get $q) (local.get $d)) (i32.shl (local.get $width) (i32.const 1))))
        (local.set $k (i32.add (local.get $to) (local.get $d)))
        (local.set $at (local.get $scores))
        (loop $value
          (local.set $p (v128.load32_splat (local.get $at)))
          (local.set $s0 (f32x4.add (local.get $s0) (f32x4.mul (local.get $p) (v128.load (local.get $v)))))
          (local.set $s1 (f32x4.add (local.get $s1) (f32x4.mul (local.get $p) (v128.load offset=16 (local.get $v)))))
          (local.set $s2 (f32x4.add (local.get $s2) (f32x4.mul (local.get $p) (v128.load offset=32 (local.get $v)))))
          (local.set $s3 (f32x4.add (local.get $s3) (f32x4.mul (local.get $p) (v128.load offset=48 (local.get $v)))))
          (local.set $s4 (f32x4.add (local.get $s4) (f32x4.mul (local.get $p) (v128.load offset=64 (local.get $v)))))
          (local.set $s5 (f32x4.add (local.get $s5) (f32x4.mul (local.get $p) (v128.load offset=80 (local.get $v)))))
          (local.set $s6 (f32x4.add (local.get $s6) (f32x4.mul (local.get $p) (v128.load offset=96 (local.get $v)))))
          (local.set $s7 (f32x4.add (local.get $s7) (f32x4.mul (local.get $p) (v128.load offset=112 (local.get $v)))))
          (local.set $v (i32.add (local.get $v) (local.get $stride)))
          (br_if $value (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $end))))
        (v128.store (local.get $k) (f32x4.mul (local.get $total) (local.get $s0)))
        (v128.store offset=16 (local.get $k) (f32x4.mul (local.get $total) (local.get $s1)))
        (v128.store offset=32 (local.get $k) (f32x4.mul (local.get $total) (local.get $s2)))
        (v128.store offset=48 (local.get $k) (f32x4.mul (local.get $total) (local.get $s3)))
        (v128.store offset=64 (local.get $k) (f32x4.mul (local.get $total) (local.get $s4)))
        (v128.store offset=80 (local.get $k) (f32x4.mul (local.get $total) (local.get $s5)))
        (v128.store offset=96 (local.get $k) (f32x4.mul (local.get $total) (local.get $s6)))
        (v128.store offset=112 (local.get $k) (f32x4.mul (local.get $total) (local.get $s7)))
        (br_if $part (i32.lt_u (local.tee $d (i32.add (local.get $d) (i32.const 128))) (local.get $head))))
      (local.set $to (i32.add (local.get $to) (local.get $width)))
      (local.set $query (i32.add (local.get $query) (local.get $stride)))
      (br_if $row_ (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $rows))))))
