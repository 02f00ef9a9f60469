"""The table of puzzles, made by bench/puzzles.py: one a line, with its fields as `days.Puzzle` names them."""

from typing import Final

ROWS: Final = """
lambo; a1 a4,c13; b2,c10 c3,b10; b3,a11; b8,b9; 378
lambo; b1 c2,a8; c3,c4 a6,a18 b9,c23; c5,a14; b9,c10; 324
lambo; c1 b8,c7 b4,c5 b9,b22; c3,c10; a11,a12; c2; 531
mambo; e0 a1 f5 a14 d16 d18; c32; d31; a29; 37
palago; c4 a13,b28 b12,a27 a3,c2 a9,c10 b8,a1; b23,c43; a22,a42; c11,c24; 513
lambo; c1 b5,a14 c3,a10; b6,c18; a7,a36; b16,c17; 468
mambo; c0 c5 f16 e15; a3; b2; a12; 26
palago; c4 c13,a12 b29,a14 b15,b30 c31,a32; c6,c16; a1,a18; c5; 504
lambo; b2 a8,b21 b10,b3 c12,a11 c4,a13 a26,a27; c47,c46; b25,a45; a28,c48; 531
mambo; b0 f6 b16 e2 a15 e18 c9 d22 a21 d20 c35; b19; c7; f60; 53
palago; b1 a6,b5 b2,a3 c11,a12 c4,a14 a13,a27 a29,c28 a9,b8 b20,a7 a21,a39 c38,a19; c37,c60; b36,a59; c62,a63; 666
lambo; b5 c3,b11 a1,b18 b2,a8 a12,a27 c26,b47 a74,c73 c46,c25 b45,b71 b70,c44 c103,b102 a28,a49 a48,a75 b107,b145; c189,c190; c144,a188; a108,b146; 954
mambo; a0 b2 b1 d7 c19 e6; e20; e21; b10; 34
palago; a2 c1,c6 b5,c4 c8,a9 c3,c11 b20,a7 a17,a18 b35,c36 c24,a10 c22,a42 a60,b90 c89,c88; c58,a87; b34,a57; b59; 783
lambo; b1 c3,b2 a6,a5 a4,b14 b10,c9 b24,b11 a23,b22 c21,c8 b41,c42 c26,a25; c27,a13; a28,a29; c12; 639
mambo; b0 f6 a4 f14 b12 d3 c29 e28 f48 d17 a51 d52 c31 d16 c26; f34; e35; b56; 47
palago; b3 c1,c7 b36,a18 c2,a8 c6,a17 c59,c35 b9,b21 b10,a23 c11,c24 a40,a22 b16,c5; c33,b55; c32,a54; c34,c56; 648
lambo; c2 c6,c5 a16,c32 a14,b30 a54,a31 b29,a28 b3,c4 b12,a26; a27,c48; a47,a74; a13; 621
mambo; b0 e5 b15 e16 a17; d1; e7; f35; 32
palago; b1 c3,b2 b9,a21 c39,a20 b22,c40; a7,c19; a18,a36; a8; 495
lambo; b6 c17,a16 a5,c14 a32,b15 c13,b4 a31,c30 a52,a53 a29,a51; c28,c50; a27,a48; c78,a79; 540
mambo; a0 f1 c4 f12 c27 e14 e15 a16 a47 d48 a28; f11; b25; e49; 49
palago; c3 a1,c8 b21,b20 b9,b2 a11,c10 a40,a22 c64,c39 b25,b44; a38,b19; a7,a36; c63,b94; 630
lambo; b1 c5,b4 a14,a13 b28,b29 c12,b27; b15,c32; b16,a33; b30,b31; 486
mambo; b0 d1 a8 d21 c7 e2 c5; d39; b9; f38; 36
palago; b4 a3,c10 b9,b2 b6,c1 b13,a14 a11,a12 c23,b22 a8,c21 b7,b18 c36,c35 c16,a17; a15,b30; a29,a51; a5; 630
lambo; c3 c6,a5 c15,c14 a4,c13 c30,c52 a28,a27 b48,c49 a47,c46 c12,b26 a25,a11 a2,b10 a8,a20 b38,a63 b29,b50 c78,a51 c53,b80 a31,b32; c19,b37; b7,a36; c61,b62; 945
mambo; c0 d2 a5 e8 c16 f15 b33 f17 a18 d7 a9 f56 c55 c83; f31; c30; b53; 49
palago; c2 b8,a1 c5,a6 c14,b13 c15,a16 c18,b7 b9,c21 a10,a11 b3,a12 a25,b26; b24,c44; a23,a43; a45,c46; 621
lambo; c4 a13,b28 b48,b27 a12,a3 b26,c47 a2,c1 c14,b15; c6,c16; a17,a18; c5; 585
mambo; a0 d5 b16 e6 c2 e32 b33 d9; a18; b1; c34; 41
palago; a3 b4,b13 c10,b2 a12,a27 c29,a14 b15,c5 c6,a16 a1,a8 a33,b17; b28,b50; a48,c49; c30,b51; 621
lambo; a6 c18,a1 b16,c5 c33,c56 c14,a15 b55,a54 b35,c17 c32,a31 c29,b30 a13,b4 c51,c79 a52,c80 a113,c152 a50,a28 c77,b78; b114,c115; b81,a116; b153,b154; 783
mambo; b0 f6 a2 b8 a21 d20 c17 f19 d18 f39; b35; d59; b16; 43
palago; a6 a1,c18 b16,c5 b15,b32 c17,a33 a56,a55 a34,c57 c7,a36 c31,c54 b83,c82 c86,a85 a84,a119 a35,b58 c88,c59 a60,b89 b19,a37 b125,b126; a90,c61; c62,a92; b124,c166; 810
lambo; c5 a16,b32 a17,c33 b1,b6 b2,a3 b4,c13 c27,b12 b28,b50 c56,c55; b31,b54; b15,a30; a18,c35; 702
mambo; c0 d4 a12 e14 d15 d11; a27; d2; b28; 41
palago; b3 c2,c9 a10,a24 b11,b25 c43,b23; a69,a44; a45,b70; c42,a68; 459
lambo; c3 b10,b2 a4,a14 a12,b27 b24,c11 a25,a26 c48,c47 a8,a9 b20,a38 c21,a22 b42,c23 b75,a108 c46,c73 a28,b13; c49,a76; c50,a77; a109,c147; 855
mambo; a0 d3 b5 e6 c4 f18 e7 a8 b16 a33 b13 c27 b9 e11; a47; d48; a25; 54
palago; c2 a3,a10 b12,c11 c6,c5 b16,c32 a4,c14 c30,a52 a1,b8 b17,b18 a36,a35; a54,b31; b53,a82; a15; 693
lambo; c4 a13,a12 a28,c48 b14,a29 a30,a51 b49,b50; b26,c47; a11,a25; c27; 531
mambo; c0 a5 a1 f6 b15 a32 e18 e35; b33; d34; c58; 39
palago; b2 a10,c3 a11,c25 a44,b24 c23,a42 c1,a6 b12,a4; b13,b27; b26,a47; c9,c22; 585
lambo; b2 a4,c3 b10,c24 b13,a12 b23,a42; a22,c21; a8,a9; c40,a41; 531
mambo; b0 d3 c1 b8 b12 d9 a23 e11 f25 d26 c5 f14 b47 e21 c74 a18; b16; d17; c35; 62
palago; c4 b5,b16 b1,c6 a18,c17 b7,c8 b3,a2 b21,c9 b11,a10 c25,b24 a43,a23 b68,b42 b19,a20 a36,b35; a59,c58; b34,a57; a60,c89; 693
lambo; b3 a1,c18 a17,b6 a35,c58 a57,b34 c86,a85 b56,a55 c120,a119 c159,a118 b117,a83 a32,c54; b157,c158; a116,a156; b204,c205; 757
mambo; b0 e1 c18 d8 e20 e9; b3; f10; b6; 41
palago; a5 b14,a4 c1,a6 a8,c7 a17,b18 b16,b33 c34,b35 c36,b60 a21,b20; a59,c89; a37,b90; a19; 639
lambo; b2 c3,a10 a9,b22 c23,b43 c8,a20 c1,b6 a5,c4 a69,b70 c24,c44 b11,a25 a26,a27 a46,b45 a72,c71 b47,c73 b13,a12; c68,a99; a42,a67; a100,a101; 720
mambo; c0 f3 b4 c13 a10 d2 c8 f9 a22 d21 a7; f18; a6; b16; 42
palago; c2 c10,a9 c4,a5 c8,a1 b21,a22 a11,a3; b7,a36; b18,a35; b19,b20; 513
lambo; a4 b14,b5 b16,c6 c18,a1 a17,a34; b15,b32; a33,a55; a35,c58; 486
mambo; a0 d5 b1 e4 a8 d7 b14 e19 c30 f16 b31 a54 b51 e29 d50; e17; a35; f59; 63
palago; b2 a8,c20 c9,c21 c39,a40 b41,c22 a42,a43 c10,b23 a66,a65 c64,b95 c6,a5; a3,c12; b4,a13; c11,c24; 693
lambo; c4 a12,c13 a14,a5 b6,b17 b34,a56 c33,b16 c15,c32; b31,a30; b29,a51; b54,c55; 540
mambo; b0 d1 a4 e7 a6 d17 a2 f19 b20 f34 c33 e13; b32; f16; c15; 52
palago; c4 b5,a6 c2,b1 a17,b16 c34,b35 a8,a7 a19,b20 a18,c36 a59,a89 b60,a90 b125,b166 b56,c57 c88,b58 b85,c86 a87,b123 c213,a214; a164,c165; a122,a163; a124; 828
lambo; c2 c10,b3 a24,b23 a11,b26 b25,c45 b46,b72 b44,b69 c43,c42 b100,c101; a102,b103; a70,a71; a139,a140; 657
mambo; c0 f6 a3 d4 c18; f16; a15; b13; 32
palago; a1 b5,a6 c17,b18 c16,b32 b34,a33; c35,c58; a36,b59; b56,c57; 459
lambo; c2 b8,a1 c3,a4 c21,a9 b12,c26 c10,c11 c25,b24 b5,a6 b18,a17 c35,a34 c15,a16; b14,b30; a13,c29; b31,c32; 675
mambo; b0 d3 c1 b8 c20 f21 c39 f40 b38; d41; e65; b42; 39
palago; c3 b10,b2 c11,a25 a26,b12 a27,a47; b48,b74; b73,a106; c4,b13; 486
lambo; a3 c1,a8 b21,a9 c2,a10 c12,c11 a13,b4 b23,b42; b6,c17; a5,a16; c7,c18; 558
mambo; b0 e2 a10 f8 e21 d20; b6; d3; c18; 37
palago; a6 b5,a16 c2,b1 b17,c18 c15,c31 b32,c55; c54,a83; a53,b82; c33; 531
lambo; b2 b6,a17 b9,c10 a21,a8 b20,a7 c18,b1; a3,c11; a4,b12; b23,c24; 486
mambo; a0 e4 c6 a16 a12 e33 b26 e15 a18 d35 a25 d11; c2; b1; c9; 52
palago; c4 b5,b16 b17,c6 c18,a1 a32,a33 c31,c15; b7,b8; b2,a9; a34,b35; 486
lambo; c4 a13,a12 b27,c26 b48,b28 c74,b47; b46,a25; a11,b24; a72,b73; 486
mambo; a0 f1 b5 a16 e7 f19 c20 e33; b2; c3; a9; 43
palago; a6 c18,a1 c4,a5 b15,a14 c16,a17 c32,c54 a30,c51; b53,b52; a79,a80; b31; 585
lambo; b3 a2,c8 b10,c9 b24,b23 b43,c69 a42,c41 a68,b67 b99,b98; b100,c101; a70,a102; b137,c138; 639
mambo; c0 f3 a10 d2 b24 e12 e25 d44 a1 d18 a69 e36; a68; e42; c22; 51
palago; c6 a5,b14 b13,c4 c12,a11 b2,a3 a10,a9 c8,a1 b22,c23 b29,c28 b51,c30 c41,b42 a24,a25 b17,b35 b59,c58 c68,b43 c44,a70 a52,b53 a49,b50 b31,b15 b82,b54; a79,c80; a78,b112; b81,a116; 1098
lambo; b2 c3,a11 a25,b24 a12,b26 b1,c18 c13,b27 c48,c47 b5,a6 c29,a14 b30,a15; c49,a50; a51,a78; c28; 657
mambo; a0 d2 c6 d5 a18 f9 b14 e4 a12 e27 a47 e10 c23 e74 c7 b20 b17 e35 c46 f28 c49; e30; b51; c31; 68
palago; a6 c18,a1 c4,a5 c17,a16 b32,c15 b31,c52 c53,a54 c79,b80; a82,a81; b83,a117; b30,c51; 621
lambo; c3 b2,b1 c18,a6 b12,b4 c26,c25 b5,a16 c24,b10 a33,a17 a15,a14 c13,b29; b43,c44; a23,a42; a11; 621
mambo; c0 e3 a5 d16 a1 e32 b33 b4 a14 f30; e18; b7; c34; 39
palago; b1 a5,b16 a6,c17 a4,b13 b2,a3 a11,a12; c26,c27; a25,a46; a9,b10; 513
lambo; a3 b5,b6 b15,a16 b17,b34 c14,c4 c56,b33 a84,c55 b32,b54 a83,a118 b53,a31 a82,a117 c30,b52 b80,a81 b113,a79 a114,a153 a112,a151 b51,a29 c150,b111; c197,a198; a196,a248; a152; 846
mambo; b0 e5 d15 e16 b6 f32 c31 e33; a2; e1; c18; 30
palago; b3 a10,a2 c9,b8 a23,c42 b12,a11 a4,a5 b67,b99 a68,a43; b100,c69; a44,a70; b137,c138; 639
lambo; b1 a6,b5 b4,c13 c15,b31 c2,b3 c10,a11 a9,b22 a28,b49 b75,b48 a74,c47 a26,b27; a73,a46; b25,a45; a106,b107; 774
mambo; b0 d3 c1 b8 c9 f7 c19 f12; c38; e39; a40; 41
palago; c3 a1,b2 b4,a12 b14,c5 a29,c13 a10,b11 c8,b7 c28,b27 b25,b45 c26,a47; c72,c73; a71,a104; c46; 666
lambo; c2 a3,a10 a4,c12 b14,b15 c5,a6; c16,c17; a18,a35; b32,c33; 486
mambo; a0 f1 b5 a16 a14 e29; b32; a31; c33; 40
palago; b6 c1,a2 b10,c3 b5,b4 a15,a16 c14,a29 b18,a35 c36,c7 c8,b20 c38,c19 c24,b11; b21,a9; a22,a23; b39,a40; 720
lambo; b1 c18,c17 a34,a35 b36,a59 c7,b19 a60,c89; b90,b37; a38,a62; a58,a88; 531
mambo; c0 f6 a3 d4 a5 d16 c32 f33; a14; d13; b30; 36
palago; b3 c12,a4 c27,a13 b26,a11 a28,b49 c46,b47; b24,b25; c10,a23; b44,c45; 531
lambo; b1 b5,b6 c15,a16 b32,a33 c18,c17 b14,b4 c3,b10; b2,a9; a8,b21; b11,a24; 531
mambo; c0 e5 c16 f15 b2 e8 c7 d21 e39 f40; b10; e18; a23; 51
palago; a6 b5,c16 c2,b1 c14,a4 a32,c15 b30,b52; b8,b9; a7,a20; c3,c10; 531
lambo; a5 a15,b16 c3,c4 a1,b2 a32,a31 c14,b30; b7,b8; a9,a21; a6,a18; 504
mambo; b0 f2 c8 d10 f11 d25 c26 f20; c21; e1; a22; 45
palago; c3 b2,a8 b10,b24 a9,c21 b40,c22; a43,a42; a41,a67; a23; 504
lambo; c4 c13,a28 b1,a2 c6,a5 c49,c76 c109,a108 a77,a110 c48,a47; a15,a16; a14,b30; b3,c12; 765
mambo; c0 f1 c7 f4 c2 d9 a8 e13 b12 e11 c24 e22 b43 e44 c69; d45; c46; e47; 46
palago; c2 b1,c18 a5,a6 b14,a4 b9,b8 c23,b10; c12,c11; a13,a27; c3; 531
lambo; a3 b4,b13 b2,c10 a12,a11 a6,a5 c29,a28 c23,b9 c18,b1; c27,c48; a26,a47; a14; 612
mambo; b0 e4 a12 f2 c10 d8 a24 d11 a6 f18 c20 e21; b23; e22; a42; 45
palago; c3 c12,a11 b4,c14 b26,a25 c44,b24 b5,a6 c2,b1 b10,a9; b15,a30; a16,b32; c13,c29; 567
lambo; c3 b5,b16 c6,b17 a35,c59 c18,a36 a15,c14 c30,c51 c32,c31 a53,b54 b19,c38; c2,c8; b1,a7; b9,c10; 819
mambo; b0 d1 e8 e7 a19 f37 a9 e62 b18; e63; d38; f39; 47
palago; a6 a3,b4 c10,b2 b5,b16 b8,c1 b33,b56 a34,b35 b17,a18 c57,b58; c87,c88; a59,a89; b85,c86; 594
lambo; b1 b6,c17 a16,a5 b4,b14 a12,c13 b30,b15 a31,a54 b29,c51; c52,a53; b79,b80; b32; 612
mambo; a0 d2 c8 f5 c16 e10; b15; c14; c6; 41
palago; c3 a11,c12 b4,a13 c14,a29 b27,c28; b26,a25; b24,a44; a46,b47; 459
lambo; c4 c3,a11 b12,a27 b2,a10 b24,b23 a43,c44; a25,c45; a26,b46; b69,c70; 540
mambo; a0 d6 a1 d8 a21 e16 a17 c22; a4; f7; b14; 45
palago; a5 a6,c17 b16,a33 a55,a32 b1,b2 c3,b4; c14,a15; a29,a30; a7,b18; 513
lambo; c4 b5,b6 c18,a17 b12,b26 b15,b32 a25,b46 b24,c11 c3,b10 a45,a72; c9,a8; a1,a2; b23,a43; 711
mambo; a0 d2 b5 d6 a14 e15 a29; e32; b31; f17; 40
palago; a1 b5,a6 c17,b18 a16,b33 b56,b34; c35,c58; a57,a87; a36,c59; 459
lambo; c2 a3,b12 b9,c10 b5,b6 a16,c17 b22,c21 a24,a23; a25,b26; a27,a47; a11; 630
mambo; c0 f3 c12 e10 a26 f27 b46 e48 a73 c106 b49 d75; b50; d29; c14; 56
palago; b1 a3,b4 a13,c28 b50,c29 b11,c12 a25,b26 a27,b47 b73,c72; a45,b44; a24,a43; a46; 657
lambo; b1 b18,a7 a5,c4 a17,c6 a16,a15 b30,b14; b3,c11; a2,a10; c12,c13; 486
mambo; c0 e5 a3 c12 a26 d27 c25; f14; d15; e28; 40
palago; b3 b5,b6 c16,c32 a31,a15 b30,b14 c12,a4 a51,a29; b52,b79; a53,a80; a50,b78; 531
lambo; c3 b5,a6 c2,c1 a8,a9 b7,b18 c35,c36 a34,c17; c16,b15; a14,a30; b32,c33; 540
mambo; a0 c4 c2 d3 e6 f18 a8 b20 b13 c27 d16 e38; b33; d34; b15; 58
palago; c4 c14,b29 a28,a13 c30,a15 a51,a50 c79,b78 b48,c49; b112,b113; b80,a114; a77,b111; 585
lambo; b2 a9,a8 c22,b21 a3,b12 c13,c27 b29,b51; b40,b41; a39,a64; c23,c42; 666
mambo; c0 e3 b6 e11 a5; d24; b10; c9; 32
palago; c2 b8,a1 a4,c5 b12,b11 b3,a10 a26,a47; c73,c74; b46,a72; a27,a48; 540
lambo; c4 a6,b5 c1,c7 c18,c17 c8,a20 a21,c22 c40,b39 c64,a65 a35,a34 c59,b36 b96,b66 b67,a98 b15,a30; c33,b32; a31,a54; c16; 936
mambo; c0 f6 a3 d4 a12 f13 c28; f16; a15; e30; 36
palago; a4 b14,b5 c6,a16 c12,b3 b17,a33 c55,b32 a54,a31 b52,b53; c29,b30; a13,a28; b15; 594
lambo; c3 b11,a25 b12,c26 a4,a5 a1,a2 b9,c8; c24,b23; a22,a42; b10; 531
mambo; b0 d3 c1 b8 a10 f21 c22 e11 b24 f18 c36; f17; a7; e16; 51
palago; a5 a2,c8 c21,b22 a40,a41 b39,a64 c38,a20 b7,a36; a63,c62; a37,a61; c93,a94; 675
lambo; a6 b5,a16 c1,c8 a2,a3 b12,c4; a11,a26; b10,a24; b13,b27; 459
mambo; c0 e3 b2 f6 c8 f9 a22 d21 b7 e39 d41 f12 c17 f16 b13 c15 a36 e11 b24 f43 a40; f63; d38; a94; 60
palago; a1 c3,b2 c10,a9 a8,c20 b39,b21 b18,c35 c5,a6 c34,b17 c33,a16; a32,b31; b15,a30; b55,c56; 612
lambo; c3 b2,b10 c11,c26 c27,b12 b1,a6 a13,b4; a14,a5; b29,a30; b24,c25; 486
mambo; b0 f2 c8 f9 b6; d23; c10; b11; 31
palago; c4 b14,c5 b29,a30 a12,a13 c50,a28 b1,c6 b15,a16; b49,a75; b48,a74; b76,b77; 540
lambo; b1 a7,a18 a8,b20 b17,b34 c35,b58 c59,a60 a87,b88 a124,a89 b90,b125 b36,a19 b37,a38 b2,c9 a3,a4 b13,a12; b10,c24; b11,a25; b22,a23; 774
mambo; a0 f5 c4 d13 e12; f15; c16; e29; 30
palago; c5 b6,a16 b14,a4 b18,a1 a33,a17 b32,a15 b35,a34 b56,c85 c54,a55 b83,b118; b119,a159; a120,a160; c84; 630
lambo; a5 c6,c1 b3,c4 a15,c16 c31,c30; b52,b53; a29,b51; a13,a14; 504
mambo; a0 c3 c6 f5 b15 e16 a18 e30; c33; f32; c35; 40
palago; c6 b4,c5 c15,b32 a12,c3 c27,a13; b30,b29; a28,a50; b14; 522
lambo; a3 a6,b5 b2,c1 b4,b12 b9,c10 c21,b22 b41,c42 b16,b33 b18,c17 c23,a43 c26,c11; a44,b25; a45,a46; a24; 711
mambo; a0 d6 b3 e16 a17 f32 a35 d36 a59 f54; c88; d58; c57; 49
palago; b1 a8,a7 b21,b20 a40,a64 c39,b38; c63,c62; a37,a61; c93,a94; 513
lambo; c3 b12,b26 b10,a11 b2,c9 a27,a47 b48,a74 a4,c14 a46,c25; b72,c73; a45,a71; c105,c106; 612
mambo; b0 a6 c1 f2 c17 f16 f34 f9 a22 d21 a4 d14 c39 f40 c57; f32; a31; b29; 58
palago; b3 b5,a6 b2,c1 c11,a10 b17,a16; a8,c20; a7,a19; a9,a21; 486
lambo; c3 b2,b9 c10,b11 a21,a8 a1,a7 c20,a38; b39,c40; a22,a41; b63,b64; 513
mambo; a0 d2 b5 e6 b1 e17 e7 e14; c20; e21; c36; 41
palago; b2 a8,a9 a22,b21 a3,b12 a13,b27 a47,a26 b25,a11 a74,b73 a6,a5 b16,a17 b35,a58; c33,b55; c32,a54; c34,c56; 891
lambo; a1 a6,c18 c4,a5 b15,c30 a35,a17; c33,b55; a16,a32; c34,c56; 522
mambo; a0 d3 c6 f5 e10; d12; f11; e13; 31
palago; c5 b15,b30 b6,b16 a18,c17 c32,c55 a1,a7 a35,b36 c33,a56 a83,c54 b31,b53 b14,c29; b4,a12; a13,b27; b51,b52; 666
lambo; a5 b4,a3 a6,b1 c17,a16 a15,c14 b32,c31; c13,c12; a28,a29; b2; 513
mambo; a0 e4 f13 e28 b27 f1; c3; b2; a11; 34
palago; c3 c11,b12 a2,b10 a9,c8 c26,c46 a23,a22 a21,a39 b1,c7 b20,c38 b47,a73 b24,b25; b106,b74; a48,a75; a72,a105; 675
lambo; a3 c6,c18 a17,a33 b1,a7 c12,a11 c34,c56 b5,b16 c55,b54 a85,b84 b57,c86 b36,b35 a60,a59; a4,c14; a15,a30; b2; 810
mambo; b0 d3 b12 d26 c5 d14 a16; f32; a31; b29; 39
palago; c4 a13,b28 a12,c27 a50,b51 c2,b9 a23,b10; b1,a18; b6,a17; b7,b8; 621
lambo; b2 b6,c17 c16,a32 b15,b5 a4,c14 c3,b11 a34,c35 c36,a18 b7,b1 c33,a55 a31,a30 b52,c80 a79,c51 b56,c85; c112,c78; a50,a77; b113,a114; 810
mambo; a0 d5 b16 e6 b1 f14 c2 f8 a4 e29 f28 e17 b33; d7; c19; a35; 54
palago; a2 c1,b8 c3,b10 c6,a5 c14,c4 c17,b16 c9,b21 a18,b7 b35,c34 c57,b56 b22,a40; b24,a11; b12,b26; b23,a43; 720
lambo; c2 a3,b12 c26,b11 b24,c43 a13,a4 a10,c23 a22,b42 b29,a14 b5,c15 a1,b6 a32,a16 b17,c33 c7,c18; c30,b51; a31,a52; a28,b50; 738
mambo; b0 e5 a6 e2 b8 d16 c20 e21; a10; d3; a22; 41
palago; a2 b3,b4 b1,c6 a9,a10 b21,a8; b14,c5; a13,a29; b15,c16; 459
lambo; b2 b5,a6 c1,b7 c8,b9 a3,c10 c12,b4 b18,a35 a19,c36; b20,b38; a21,a39; b37,a60; 567
mambo; c0 f1 c2 e10 c5 d23 e22 f40 b41 f16; b14; a15; b13; 48
palago; c3 b2,a8 b9,c10 b1,b18 c7,c20 a24,b23 c4,c12 c6,c5; a16,b17; b15,a32; a34,b35; 558
lambo; b1 b6,b5 b17,b34 b58,a35 a57,c56; c59,a60; a19,c36; c88,c89; 531
mambo; b0 e4 c1 f2 c5; e12; b11; e9; 31
palago; b2 b5,b6 a15,c16 c17,c33 c32,a54; a31,b53; a30,c52; c55; 513
lambo; c2 b5,b6 a18,a17 b16,c15 b36,a35; c59,c58; b34,a57; a1,a7; 504
mambo; b0 c4 f13 e14 d30 f6 a31; d3; b32; a5; 44
palago; b2 c3,a12 b1,a6 c16,c5 b26,b11 c24,c25 a33,a17 b56,b34; b18,b35; a58,a59; c15,a32; 657
lambo; a6 c17,a16 a32,c15 c30,b29 c31,a54 b55,b84 a118,a83 c82,b117; a116,c115; a81,a114; a156,a157; 675
mambo; a0 d2 a10 d23 c11 e22 b5 e6 d26; d8; a7; d17; 49
palago; b1 a7,c19 a2,b8 c18,b6 c4,b3; a21,a20; c9,a22; c38,a39; 486
lambo; a2 b6,c17 a16,a5 b15,a30 c3,c4 b18,b1 a32,a33 c29,b14 c11,b10 b26,b12 a52,c51 c53,b31 a13,b27 b47,a73 c36,a7; b78,a79; a50,a77; a80,b113; 783
mambo; c0 f6 a3 d4 a12 d13 d26; e29; f28; c30; 36
palago; b1 b6,c17 c4,a5 c35,a18 b34,a57 c87,a86; c2,b9; a3,a10; b7,b8; 585
lambo; b2 c3,a10 a6,a16 c1,c8 b12,a4 c11,a24 a9,c22; a26,b47; a25,c46; b13,b27; 576
mambo; a0 e4 b3 f14 c11 d13 a29 d28 a50 e15 b16 e6; b78; c77; b79; 46
palago; b3 c5,b15 a6,b18 b16,c33 a31,a54 b53,b82 b55,c83 b17,a35 a84,b56; c58,c57; a59,a88; c34; 639
lambo; c3 b10,b2 a4,a14 a12,b13 c29,c28 a49,a50; a51,a30; b15,a31; c77,a78; 540
mambo; b0 f6 b16 f2 a33 f9 a15; d23; c10; b11; 44
palago; b1 b6,b5 a15,a16 b18,c17 b14,c30 b13,a27 a52,c31 b51,a50; a28,c49; a48,a75; a29; 639
lambo; c3 c5,b15 a16,a6 c18,c17 a2,b1 a34,b35 c12,c26 a11,a10 b14,a4 a59,a36 b60,b89 c124,b88; b9,b23; b24,a43; a13,c27; 747
mambo; b0 e4 b14 f6 a2 b8 b16 e12 b11 f7 c9 f33 c25 f23; b46; e45; b27; 54
palago; b2 c3,a10 b1,a7 c19,a36 b8,b21 b6,c18 a5,c4; b14,b13; a12,a27; b16,c17; 549
lambo; a4 c1,c2 b3,b12 c10,c11 b23,b9 a24,b25; c26,c46; a27,b47; b44,c45; 486
mambo; c0 f6 a3 d4 b13 e12 a26 d27 c29 f16 c15 e31 c54 d46; b48; e47; b50; 55
palago; c5 c16,c6 c14,a15 a4,a12 c30,c52 a13,a29 b51,c50 b80,c53 a54,b31 b77,b76 c75,b74 b78,b79 c28,b48; a106,b107; b73,a105; a49; 711
lambo; b3 b5,b6 c18,a17 a10,b23 c4,a12 a9,c21 a1,b8 a22,a40 a20,a39 c63,c38 b64,c65 a27,a13 c28,c50; b77,b78; a49,a76; c29,c51; 828
mambo; c0 d2 b4 c12 b6 e16 b27 e26 c48; f10; e9; d24; 49
palago; b2 b5,b6 a17,c16 a14,c15 a33,a34 a18,c35; b3,c12; a4,a13; b10,c11; 531
lambo; b1 a8,a7 c36,b19 b20,a39 c38,a62 c18,b6 b35,a17 a3,b4 c10,b2 c9,a23 a24,b11 c34,a33 c5,c16 b14,a15 a12,c13; b27,a47; a26,a46; b28,b48; 747
mambo; b0 e5 a6 d1 a2 f14 c7 f8 a18 d10; c35; d17; c33; 40
palago; c3 b2,a1 a11,b12 b5,b16 a18,c6; c35,c17; a33,a34; a7,c36; 504
lambo; c3 b2,b1 c4,c14 c5,b6 c30,a15 c7,a18 b20,a8 a11,a10 b12,b27; a26,a47; a25,a46; b13; 639
mambo; b0 e2 c9 d22 a42 e40 b8 f64 b65 e4 b67 f6 a7 f19 a38 d94; a96; e95; a98; 57
palago; c3 c1,b6 a18,c7 b2,a8 a5,c14 b30,c15 b17,a16 a32,c33 c31,a54 a56,c55; a83,a84; b82,a117; b57,a85; 612
lambo; a1 b5,b16 c6,a18 c36,a7 a33,b17; c59,b35; a34,a58; a19,c60; 459
mambo; b0 e2 c1 d9 e21 d20 a4 e13 b3 c11 b18 e36 f26; d38; a37; d59; 49
palago; b3 b5,b6 c15,a16 a18,a1 b8,c7; a20,c38; a19,a37; a21,a39; 504
lambo; c4 b5,a6 a2,b1 a7,a8 c19,b20 b3,a10 b21,a9 c38,c63 c64,b40; c94,a95; a65,a96; b39; 594
mambo; a0 d3 a11 f10 b12 f5 c14 e16 a23 d9 b1 f18; c21; b20; a22; 46
palago; c4 b3,b11 b1,a8 b14,c5 a30,b29 a13,c28; c26,c27; a25,a46; c12; 603
lambo; c3 c6,a5 b4,c14 c1,b2 a9,c10; a23,a24; a11,b25; c21,a22; 459
mambo; b0 f6 d17 c4 c3 c35 a59 d13 a2 b8 c29 e33 d56 d60; a5; a19; a7; 70
palago; b5 a1,a7 c16,c6 c33,a32 b8,a2 c4,a3 c34,a56 b17,c18 a58,b35 c59,c36 b20,b19 c39,a21 b60,a37 a15,b31 a22,c9; b90,c61; c62,b92; b89,c125; 747
lambo; c5 b15,a32 a16,c6 b1,c18 c7,b19 a60,a36 a2,a8; c17,b35; a58,b59; a3,b4; 567
mambo; c0 f3 a1 d18 c5 f35 a17 e10; a12; b11; b13; 40
palago; a3 c1,b6 a16,a5 b4,a14 c10,b2; a8,c20; a7,a19; a9,a21; 459
lambo; c2 a4,b14 c5,b16 a3,a10 c11,c12 c9,b23 b15,a31 c30,a29 c1,b8 a32,c55 b54,b82; c52,b53; b51,a79; c83; 738
mambo; a0 d3 a11 e4 c25 e6 a26 d27 b48 e47; a73; d74; a45; 41
palago; c3 b12,c11 a2,b10 c8,b1 a27,a48 a9,a23 b21,b40 c65,c64 a95,a131; c63,c94; a38,a39; b22,a41; 801
lambo; c3 a4,a14 a1,a6 b2,a10 b24,c44 c43,c23 c69,b68 a22,c42 a41,a67 a65,c95; b66,c98; a96,a97; b99,c100; 792
mambo; b0 f6 a4 e5 c3 f15 c30 d10 a24 d12; a25; f26; b27; 50
palago; b1 a4,b3 a6,b16 a13,c12 c17,c35 a18,c7 a32,a33; c8,a9; a2,c10; c20,a21; 612
lambo; a6 c18,a1 b4,a5 c17,a16 a15,c30 b31,b54 a33,c32 b29,a14; c3,b12; b2,a10; b13,c27; 540
mambo; c0 f1 c2 e10 f11 f4 a24; e26; c25; e13; 32
palago; a6 b5,c16 b1,c18 a2,a3 a14,c4 a30,c31; c29,c51; a13,a28; a15; 522
lambo; b2 b5,a6 c1,c8 c3,a10 a14,c4; c9,a23; a21,b22; b11,a24; 459
mambo; c0 f1 d18 c17 a35 e3 b2 f4 b12 f34 c10 e57; b26; e25; b23; 50
palago; c2 a10,a3 b11,a26 c9,c21 b23,b24 c42,a43 a44,c25; b12,b27; a4,a13; a46,b47; 558
lambo; b4 a3,a10 b1,b18 b6,c17 a16,b5; c2,a8; a7,b20; a11,b12; 477
mambo; c0 f3 a12 d26 e5 d13 c16 f15 c30 f31; b28; e27; b51; 47
palago; b1 c6,a5 c15,a14 b31,b54 b55,b32; c56,b33; b16,a17; b83,c84; 531
lambo; b1 a7,c19 c20,b39 b8,b21 b40,c22 a9,b2 b10,b23 b11,c3 c4,c14 b6,c17; a15,a16; a30,a31; a5; 684
mambo; a0 d3 c4 e11 c6 f5 b15 e16 e31 f17 c2 d13 c29 f52 c51 f8; b78; f50; b49; 53
palago; c3 c12,c11 a4,a5 a10,a9 b21,a22 c1,b2 b41,a42 a68,b43; b24,c44; a25,a45; b23; 639
lambo; c3 b5,b6 c16,a15 a11,a24 c25,c44 c10,b2; b9,a23; a8,a21; b42,a43; 567
mambo; c0 d4 b2 d10 b13 e12 b6 f17; c8; b7; c21; 40
palago; c4 b13,b27 b3,a12 a2,c8 a11,b10 a48,a47; c24,b43; c23,a42; c25,c44; 558
lambo; a6 c18,a1 a5,c4 c17,c33 b16,a15; b32,b31; a30,a52; b54,c55; 459
mambo; b0 d3 c1 b8 a7 f12 a11 d25 a27; d46; c47; e48; 46
palago; a6 b5,b4 c2,b1 a3,c11 a15,a30 c14,a29; c13,c28; a12,a27; c50,a51; 540
lambo; b1 b2,a9 c8,c21 a22,a41 b10,c23 c3,b4 c5,c14 c40,c65 c42,b67; a66,a98; a96,b97; b68,a99; 621
mambo; c0 d4 e3 f6 c18; f16; a15; b13; 31
palago; c2 a4,b12 b9,c10 c11,a24 a13,a28 a26,b27 b47,b46 b74,a106 a49,a48 a75,b108; c72,b73; b45,a71; a107,c145; 703
lambo; c3 b4,a5 a2,a1 a9,c8 c20,a7 c38,a39 c10,a23 a40,c21; b63,b64; a41,a65; a19; 585
mambo; c0 f6 a3 d4 b11; f16; a15; b13; 32
palago; b3 c10,a23 a9,a22 c2,b1 a8,b21 a39,a20 a18,c7 b19,a36; c4,a14; c5,a15; c12,c13; 540
lambo; c4 b13,b12 a27,c47 a46,b26 a48,c74 c28,a49 b107,c75 a73,a72 c108,a76 c3,b2 b45,c25 a105,a144; a145,c189; a146,a190; a106; 702
mambo; d0 f4 a6 e3 b10 f18 b16 a33 b14 d24 a43 f25 a2 d35; a42; e22; c21; 58
palago; a3 b4,b14 a10,b2 a24,a43 a15,b5 b29,a13 a30,a51 c50,a28; c49,c48; b27,a47; c77,a78; 648
lambo; c2 a3,a10 b4,c12 c24,b23 c27,a28 c11,a25 b26,c47 a48,b49 a1,a6; c18,c7; a8,a20; b5; 639
mambo; d0 e3 b10 f6 c5 d24 f12 d14; a27; b26; b28; 40
palago; a5 c6,b17 c15,a14 a29,b51 c52,c30 a50,a77 c79,a113; b111,b112; a110,a150; b78; 684
lambo; b1 a8,a9 c7,a18 b5,c14 c2,a3 b19,a20; a35,b36; b17,a34; a59,b60; 576
mambo; c0 d2 a10 f3 c8 e5; a12; f9; b13; 35
palago; b2 b5,b16 c6,a18 a7,c19 b1,b8; a20,a21; c9,b22; c38,a39; 486
lambo; c6 a5,a4 a14,b13 c16,a15 a30,c29; b52,b51; b31,a53; a27,b28; 432
mambo; e0 f1 b2 c10 a9 b21 b11 e24 a40 e39 b20 d38 e26 f46 e44; d69; b43; c42; 52
palago; c2 b10,b9 c3,a4 b11,a24 a8,b21 a22,b23; c12,c26; a25,a46; a13,c27; 486
lambo; b6 c17,c33 a32,c16 a4,b5 a31,c15; b53,b52; b30,a51; a54,c55; 459
mambo; b0 f2 c8 e1 b10 e4; c21; a20; a22; 36
palago; a2 b4,a3 b8,a1 c18,a7 b6,a5 b17,c33 c34,b35; b15,b32; a14,a30; b16; 531
lambo; c4 a12,c13 a14,c29 a26,b27 b2,b3 b25,b11; b5,a16; a6,b17; a15,a30; 513
mambo; a0 e6 c2 f8 b16 d5 c20 a33 a19 d56; b36; d60; a21; 56
palago; b1 b6,b18 a17,b33 a16,c5 c32,c54 a55,c83 c4,c3 a14,b15 a31,a30; b52,c53; a51,a79; b81,c82; 567
lambo; a6 b16,a17 a1,b18 c35,a36 a4,c5 c33,c34 a55,c32; a14,b30; a13,c29; b15,b31; 540
mambo; b0 e4 a2 e1 c3 d13 f27 f11 c47 d9 a24; d21; a20; f7; 46
palago; c4 c3,a11 c13,c27 c12,a26 a29,c28; b50,b49; a48,a75; a5,c14; 459
lambo; b1 a3,b4 c6,b5 c18,c17 a15,b14 b29,a13 c12,a27 c8,a2 c32,c16; a31,b54; b30,a52; c33,c55; 594
mambo; a0 d2 c6 f5 a9 e14 c4; d8; b3; f7; 36
palago; c2 a3,b12 c11,c10 c9,a23 c24,b44 b26,b25 a46,c45 a43,a42 a41,b22 a4,c5 b66,a67 c99,b68 c136,b135 c97,b98 a21,b39 b20,c19; a1,a7; a6,a18; a8; 873
lambo; c4 a13,b27 b29,c51 c6,c5 b17,a16 c32,b15; a52,a79; a30,b31; c50,c78; 594
mambo; a0 f5 c6 f18 b3 f10 a23 d9 c42 d21 e7; d39; a38; f19; 45
palago; a4 b5,b6 c15,a16 a30,b14 a52,c80; c31,c53; a81,a82; a51,b79; 513
lambo; c4 c3,b2 c14,a5 b16,c6 a11,b12; c33,c17; a18,a35; b15,b32; 486
mambo; a0 e6 c4 f12 c17 f16 a34 e11; b56; d57; b32; 45
palago; c3 a12,a11 b13,a27 c14,a29 a28,c49 b51,b50 c77,c111 a78,b79; a112,a113; b80,b114; c151,a152; 630
lambo; c5 c6,c16 c15,b32 c55,c33 a31,c52 a53,b54 a34,b58 b57,c56 b83,a84 a88,c87; b18,b35; a1,a7; b17; 693
mambo; c0 f6 b2 f9 a3 d4 a22; f16; a15; b13; 40
palago; b6 c17,c34 c16,a32 a4,b5 c14,c15; b30,b31; a29,a51; c33; 477
lambo; b2 a9,c10 c8,b1 c20,a21 c18,a7; c19,c36; a35,a59; c38,a39; 459
mambo; a0 f1 c18 e4 b3 e12 a36 e8 b11 f60 b21 c7; a24; e10; c17; 48
palago; c3 b12,b26 c25,a11 c10,a9 c24,c44 a43,a42 b47,a27 b73,a72 c46,a45 a21,c20; a1,b8; a6,a18; a2; 711
lambo; a2 c1,b18 b5,a4 b13,a12 c11,c3; b16,c17; a15,a32; b6; 504
mambo; b0 f2 e8 d21 a20 f38 c39 d64 a63 e95 a4; f131; b132; f93; 47
palago; a5 a14,b30 c15,a16 c33,c32 c54,c31 b82,c83 b84,a55; b52,b53; a51,a79; a6,c17; 567
lambo; c2 a3,a10 b24,c11 b6,b5 b17,c33 a44,b25 b9,a8 b4,b12 b56,b34 c58,c57 a1,c18 a36,c7; a59,b60; a19,a37; a35; 729
mambo; b0 f6 a4 d12 c5 f14 a2 b8 f26; d27; a28; e29; 45
palago; a3 b4,c5 a1,c8 c16,b15 a17,b6; a18,c35; a7,b36; b32,c33; 504
lambo; b3 c6,c5 b17,a16 a14,a4 b12,b13 a27,a26 a29,a28; b51,b50; b30,a52; a48,b49; 540
mambo; a0 d2 b5 d6 a14 e15 a16 f31 a9 e8 b13 e12 c22 e33 b27 e26 d55; d18; e7; f34; 63
palago; a1 b5,a15 c16,c6 a4,c14 c29,a30; b51,b52; b31,a53; a12,a13; 459
lambo; a3 b6,c17 a5,a14 b29,b30 a33,a16 a15,c31 a4,c13 a12,b27 b10,b2 c11,c25 b50,b51 b52,a53 c28,c48; b26,a47; a46,a73; c24,a44; 738
mambo; c0 d2 b6 f3 e9 d11 a12 e23; c5; d14; a27; 40
palago; b1 c7,b8 a9,c2 b10,a23 b21,a39; a22,a40; b64,a65; a19,c20; 504
lambo; c2 a9,c8 a10,c24 c22,b23 b4,b3 c41,c42 c68,b67 b43,b44 c99,a98 b6,c1 c12,b26 b70,c45; a21,b20; a7,a19; c40,b65; 738
mambo; b0 d3 c1 b8 b18 e4; c20; e21; c36; 36
palago; c3 b5,b16 b1,c6 b18,a7 c12,a4 a11,b26; a33,b17; a34,c35; c13,a14; 540
lambo; b2 b10,c3 c23,a9 a6,b17 b1,b7 c4,b5 a21,c8 c39,a40; c42,b41; a43,a68; c22; 621
mambo; a0 d2 c6 f5 f15; e30; c14; a13; 31
palago; c3 b5,a6 c17,b18 c1,c7 a35,b36 b2,b8; b20,b19; a21,a39; a59,b60; 486
lambo; c1 c8,a2 c5,c4 b14,a13 c3,b10 c23,a42 a21,b9 c24,a43 b67,b68 a99,a136; b100,c137; c69,a101; a98,b135; 747
mambo; c0 d2 a9 e5 c8 f7; a10; f3; a12; 35
palago; a3 c11,b10 b24,a23 a9,c21 b22,c42; a43,a68; a44,b69; c41,a67; 504
lambo; b3 b6,a1 c2,b9 b10,b11 a23,c24 b8,a7 c18,a17 c22,c21 b41,c42 a34,a57 a5,c4 a35,b36; a59,b58; a60,a89; c33,a56; 729
mambo; a0 d3 b5 d6 c18 f1 a8 d7 a10 a15 c19 f20 b35 d59 d24 e32 b33 f56 c55; e57; d85; f87; 59
palago; c2 a3,a10 a24,c11 b5,b16 c1,c6 b4,b12 c23,b9; b25,a45; a26,a46; a43,a44; 513
lambo; b1 a3,b4 c2,b9 a10,a23 b24,c11; c22,a41; a21,a40; a42,a43; 459
mambo; b0 e5 a2 d1 c7 f8 b14 d13 a6 d9 c20 b39 b10 d40 a11 c26 b28 e23 c42 e17 b35; f38; b19; f60; 64
palago; b1 a8,a7 b20,b38 a39,b21 c36,a19; c63,a94; a62,a93; a40,a64; 486
lambo; a2 b10,a23 c43,c68 a67,b42 c24,c44; a22,a41; b9,c21; c65,a66; 540
mambo; a0 d6 a1 e16 a17 b3; a4; f7; b14; 36
palago; a4 b14,c13 c5,a15 c1,a8 c3,c2 b11,a10; a6,b18; b7,c36; a16,a17; 531
lambo; c6 a5,a4 b15,c14 c32,b31 a52,c30 b1,a2 a10,b9 c12,b11; b24,c25; a23,a43; a3; 612
mambo; b0 e4 c1 f2 a7; e12; b11; e9; 32
palago; a4 a14,c5 c12,b13 b3,a11 a6,b1; a27,b48; a26,c47; b28,b29; 459
lambo; c3 b5,a6 c2,b1 c8,a9 c15,a31 b14,a4 a22,b21 b17,c34 a33,a32; a30,b52; a29,a51; b16; 649
mambo; b0 e2 b8 f10 a6 a11 c17 d16 b15 e4 a26 f27 a30 f28 b52 e31; a21; d20; a23; 57
palago; a6 b5,b16 c17,b18 b33,c56 a32,b15 a14,b29 b2,a3 c13,b4; c31,a53; a30,a52; a54,a55; 612
lambo; b3 a10,a2 a1,b8 b6,c17 a5,c14 b15,b16 b31,a32; a18,c35; a7,b36; b33,c34; 585
mambo; a0 e4 c6 a16 a18 d33 c7 e8 b21 d3 b32 f56 d84 d14 c30; a54; a53; b51; 56
palago; b1 a5,c6 a14,c4 a7,c19 a2,b8 b30,a15 b17,a16; c36,c35; a34,a58; c18; 585
lambo; c4 a6,c18 a5,c16 a2,a1 b10,a24; a15,b32; b14,a30; c17,c33; 531
mambo; c0 f6 c18 f1 c2 d4 a10 e12 f26; f16; a15; b13; 41
palago; b1 c5,a14 b16,b6 c17,c33 c15,a31; a30,b52; a29,c51; a32; 504
lambo; b1 b5,c14 b16,c6 a15,b30 c4,c3 b32,b33; c2,b8; a7,a20; b9,c10; 513
mambo; a0 d3 b5 e6 a14 f18 b1; d12; c13; d2; 36
palago; a4 c6,a5 a15,c14 c16,a32 b29,a30 b54,b83 b84,a118; c56,a34; a17,c33; c57,c85; 630
lambo; c2 c4,b5 b1,c6 b16,a17 a33,a34 b18,c35; b8,b9; c7,a20; c3,c10; 486
mambo; b0 d3 c1 b8 c5 e15 d20 a21 b12 c13; a11; f10; a23; 49
palago; b1 a7,a8 c21,b20 a22,a9 b42,b23 b2,c3 c4,a12 c18,b6 a19,a37 b40,c39; b62,b63; a61,a92; b38; 684
lambo; a3 a6,a17 b1,c18 b12,a4 a2,a8 c5,a14 c27,c13 a48,a28 b21,a9 a23,b10 b22,b40 a24,a25 a11,a26 b47,a46 a15,b16 c30,c31 c52,a53 c33,b32 a35,c36; a20,c19; a37,a38; a7; 846
mambo; a0 d3 f11 f1 c2 e26 b25 e46 b45 e18; a70; e44; a43; 44
palago; b1 b5,b6 b17,a18 c8,c7 b21,b20 a22,b9; c3,c10; a4,a12; c2; 531
lambo; c4 a13,a12 b26,b27 a47,a74 b29,c28; b75,b49; a50,a77; b48; 531
mambo; a0 d2 c6 f5 c4 f12 a27; d8; a7; e14; 40
palago; c3 a1,b2 c7,b19 c18,a36 c5,b14 b35,b58 b60,c59 a88,b123 c17,c16 a34,b33; c15,a32; a30,a31; b6; 693
lambo; a6 c3,b2 c12,a4 b9,a10 b23,a24 c44,a25 c43,c69 a100,c68; c46,a26; a27,a47; a11; 630
mambo; c0 d2 b6 f1 c7 f4; c20; f17; a21; 36
palago; c5 a4,a13 a15,b14 a30,b52 c31,b32 b53,a54 c83,b55; c84,c56; a33,a34; b117,c118; 567
lambo; a5 b14,a4 c16,b6 b32,a54 b55,b33; c17,c34; a56,a57; a18,c35; 504
mambo; c0 e5 a3 c12 b27 f26 a13 d11 c16 f15 a30 d10 f24; d46; c47; d44; 44
palago; a1 b5,a6 c7,a18 b16,a17 b35,a34 c58,c57 a33,c55 b83,a54 a85,b56; b53,b82; b31,a52; b117,c118; 630
lambo; a4 c6,a5 b15,c14 b13,b29 b50,c28; c17,b16; a18,a35; b32,c33; 486
mambo; b0 f2 c8 f6 c5 f14 b20 d38 c21 e17; b10; c3; a22; 50
palago; c3 b5,a14 a4,c12 b26,a11 b46,b47 a25,a45 b24,c23 b2,c10 a43,c44; a69,a70; b68,a100; a71,b72; 594
lambo; c6 c17,c16 b5,c4 a18,c35 a33,a55 c56,b84 b15,b32; c119,c85; a57,a86; b83,b118; 558
mambo; c0 f1 b4 e3 a13; f8; c7; d9; 32
palago; c3 b1,b2 c18,a6 b5,b4 c10,c23 c36,b35 b14,a15 a13,a28; c48,c49; b27,a47; a29,a50; 702
lambo; b3 b2,c10 a9,c21 a5,a14 a39,a40; c20,b8; a1,a7; c63,a64; 585
mambo; a0 d6 b5 f17 d33 f1 a15 d32 b3 b31 c53; f56; e34; b84; 43
palago; c2 a3,b12 c26,b11 a10,a24 a8,b9 a7,b1 b19,c36 b37,b60; b20,b21; a22,a40; b18,a35; 648
lambo; c2 c3,a10 c9,b21 b8,c7 b19,c36 b6,b18 a4,a5 a24,a11 b23,a22 b26,a25 c42,a41 c39,c40 a63,b64; b17,c35; a16,a33; a1; 720
mambo; b0 f6 b16 e17 c3 d34 b12 f11 c18 e56 b57 e15 f14 e32; c7; e8; a9; 49
palago; a2 c1,c6 c3,b10 a11,c12 b5,b4 a8,a9 a20,b38 c25,c26 b21,a22 b24,a23 a45,b46 a41,b42; b43,c44; a68,a69; b39,b40; 729
lambo; c4 b5,a6 b18,a35 a17,a33 a16,a15 c7,a1 c3,c10 b2,a8 b36,a59 c89,a60; b21,b9; c20,a39; b22,c23; 648
mambo; a0 f1 c2 f8 b5 a16 c20 d18 b9; e33; b32; f34; 40
palago; a5 c6,c1 a14,a13 b29,a30 c4,b3; a2,a10; a8,b9; a11,b12; 486
lambo; b3 a2,a10 b23,b9 c21,c39 b43,b42 c24,a25 b38,a20; c22,a41; a40,b65; a67,a68; 648
mambo; c0 f3 a12 d4 c11 e14 d15 d24 a27 d28 c16 f30 c2 f10 a50 f25; b52; e31; b78; 51
palago; a2 b3,a10 b1,a8 a21,a9 b20,a19 a5,c14 a6,b17 a4,c12 c23,b24 b22,a40 a30,c29 b28,a13 b25,c44; a41,c42; a43,a68; c64,a65; 828
lambo; c6 b4,a3 c2,a8 b12,a11 c24,b10 b1,a7 a21,b20 b18,a36 a38,b19; b37,c62; a60,a90; a39,a63; 612
mambo; d0 f6 a5 f2 c10 e14 b4 e17 c8 b12; b26; e25; b23; 45
palago; a6 c18,a1 a16,c5 c17,c33 b32,c15; b31,b30; a14,a29; b54,c55; 432
"""
